// SPDX-License-Identifier: BSD-3-Clause
// The options about lost ranks.
#pragma once
#include "launcher/command_line/raw.hpp"

namespace bowline::launcher {

/// Sets keep_going and chaos. Throws UsageError.
void set_recovery(const RawJob& raw, Options& options);

}  // namespace bowline::launcher
