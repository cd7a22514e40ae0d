// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/wait_cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace bowline {
namespace {

constexpr std::size_t most_in_cycle = 8;

std::string in_words(std::span<const int> chain, bool last_has_ended) {
  std::string words;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i)
    words += fmt::format("{}rank {} {}for rank {}", i == 0 ? "" : ", ", chain[i], i == 0 ? "waits " : "", chain[i + 1]);
  return last_has_ended ? words + ", which has ended" : words;
}

}  // namespace

std::string wait_cycle_in_words(const WhoWaits& who) {
  for (int start = 0; start < who.ranks; ++start) {
    std::vector<int> chain{start};
    while (chain.size() <= most_in_cycle + 1) {
      const int next = who.awaited(chain.back());
      if (next < 0 || next >= who.ranks) break;
      const auto before = std::ranges::find(chain, next);
      const bool closed = before != chain.end();
      if (closed) chain.erase(chain.begin(), before);
      chain.push_back(next);
      const bool ended = who.ended(next);
      if (closed || ended) return chain.size() <= most_in_cycle + 1 ? in_words(chain, ended) : std::string();
    }
  }
  return {};
}

}  // namespace bowline
