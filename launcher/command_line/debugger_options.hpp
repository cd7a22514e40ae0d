// SPDX-License-Identifier: BSD-3-Clause
// The option about debuggers.
#pragma once
#include <string_view>
#include <vector>

#include "launcher/command_line/raw.hpp"

namespace bowline::launcher {

/// Numbers and ranges of ranks such as "0,3-5": in rising order, each once. Throws UsageError.
std::vector<int> to_rank_list(std::string_view option, const std::string& text);

/// Sets gdb_ranks or all_under_gdb. Throws UsageError.
void set_debugger(const RawJob& raw, Options& options);

}  // namespace bowline::launcher
