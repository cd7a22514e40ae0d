// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/rank_files.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

/// N of rank-N.ENDING.
std::optional<int> rank_in_name(const std::string& name, std::string_view ending) {
  constexpr std::string_view begin = "rank-";
  if (!name.starts_with(begin) || !name.ends_with(ending) || name.size() <= begin.size() + ending.size()) return {};
  int rank = 0;
  const char* const last = name.data() + name.size() - ending.size();
  const auto [stop, error] = std::from_chars(name.data() + begin.size(), last, rank);
  return error == std::errc() && stop == last && rank >= 0 ? std::optional(rank) : std::nullopt;
}

}  // namespace

std::vector<std::pair<int, fs::path>> rank_files(const fs::path& folder, std::string_view ending,
                                                 std::string_view what) {
  std::vector<std::pair<int, fs::path>> files;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (const std::optional<int> rank = rank_in_name(each->path().filename(), ending))
      files.emplace_back(*rank, each->path());
  }
  if (error) throw UsageError("{} cannot be read: {}", folder.string(), error.message());
  if (files.empty())
    throw UsageError("{} has no {} of a rank: there is no file such as rank-0{}", folder.string(), what, ending);
  std::ranges::sort(files);
  return files;
}

}  // namespace bowline::launcher
