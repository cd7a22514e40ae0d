// SPDX-License-Identifier: BSD-3-Clause
// The files that the ranks of a job have written into a folder, one each: FOLDER/rank-N.ENDING.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace bowline::launcher {

/// In the order of ranks; files with other names are left out. `ending`: such as ".json". `what`: they are, such as
/// "record", for the sentences. Throws UsageError if the folder cannot be read, or has no such file.
std::vector<std::pair<int, std::filesystem::path>> rank_files(const std::filesystem::path& folder,
                                                              std::string_view ending, std::string_view what);

}  // namespace bowline::launcher
