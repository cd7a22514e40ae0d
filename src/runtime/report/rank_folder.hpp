// SPDX-License-Identifier: BSD-3-Clause
// Folders that the user names, in which each rank makes a file of its own.
#pragma once

#include <string>
#include <string_view>

namespace bowline::runtime {

/// Makes the folder, unless it exists. Returns it as an absolute path, because the program may change its directory;
/// empty if no files can be made there, which `or_else`, the beginning of a sentence, and `variable`, which names the
/// folder, tell the user.
std::string folder_for_ranks(const std::string& folder, std::string_view variable, std::string_view or_else);

/// Whether this process belongs to a job that another one has started: its ranks would take the files of the first
/// job's ranks.
bool is_spawned() noexcept;

}  // namespace bowline::runtime
