// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rank_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw Error(ErrorClass::other,
              fmt::format("the PMIx server's list of local ranks is \"{}\", but it must be whole numbers "
                          "and ranges such as 0-3, separated by commas",
                          text));
}

/// Removes a number from the front of `rest` and returns it.
int take_number(std::string_view& rest, std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (status != std::errc() || number < 0) refuse(text);
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return number;
}

bool take(std::string_view& rest, char c) {
  if (!rest.starts_with(c)) return false;
  rest.remove_prefix(1);
  return true;
}

}  // namespace

std::vector<int> parse_ranks(std::string_view text) {
  std::vector<int> ranks;
  std::string_view rest = text;
  do {
    const int first = take_number(rest, text);
    const int last = take(rest, '-') ? take_number(rest, text) : first;
    if (last < first) refuse(text);
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
  } while (take(rest, ','));
  if (!rest.empty()) refuse(text);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace bowline::wireup
