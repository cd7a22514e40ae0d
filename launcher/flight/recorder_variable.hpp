// SPDX-License-Identifier: BSD-3-Clause
// How ranks are told to keep their last events.
#pragma once

namespace bowline::launcher {

/// The environment variable that names the folder for the recordings (the library's tunable `flight_recorder`).
inline constexpr const char* recorder_variable = "BOWLINE_FLIGHT_RECORDER";

}  // namespace bowline::launcher
