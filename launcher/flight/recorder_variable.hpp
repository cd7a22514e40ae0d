// SPDX-License-Identifier: BSD-3-Clause
// How ranks are told to keep their last events.
#pragma once

#include <string>

namespace bowline::launcher {

/// The name of the environment variable that names the folder for the recordings: that of the library's tunable
/// `flight_recorder`.
std::string recorder_variable();

}  // namespace bowline::launcher
