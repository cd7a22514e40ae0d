// SPDX-License-Identifier: BSD-3-Clause
// See debugger_options.hpp.
#include "launcher/command_line/debugger_options.hpp"

#include <algorithm>
#include <charconv>

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

/// -1 if it is no number of a rank.
int to_rank_number(std::string_view text) {
  int rank = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  return error == std::errc() && end == text.data() + text.size() && rank < Options::most_ranks ? rank : -1;
}

}  // namespace

std::vector<int> to_rank_list(std::string_view option, const std::string& text) {
  constexpr int most = 1 << 16;  // of a range
  std::vector<int> ranks;
  for (const std::string& part : split(text, ',')) {
    const std::string_view all = part;
    const size_t dash = all.find('-');
    const int first = to_rank_number(all.substr(0, dash));
    const int last = dash == std::string::npos ? first : to_rank_number(all.substr(dash + 1));
    if (first < 0 || last < first || last - first > most)
      throw UsageError("{}={}: \"{}\" is neither a rank nor a range of ranks such as 0-3", option, text, part);
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void set_debugger(const RawJob& raw, Options& options) {
  constexpr std::string_view without_value = "true";  // CLI11's word
  if (raw.gdb == without_value)
    options.all_under_gdb = true;
  else if (!raw.gdb.empty())
    options.gdb_ranks = to_rank_list("--gdb", raw.gdb);
}

}  // namespace bowline::launcher
