// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hang/hang_wire.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace bowline::runtime {
namespace {

constexpr std::size_t most_ranges = 32;
constexpr std::size_t longest_host = 64;

/// The beginning; the ranges, the host and the words follow.
struct Front {
  double shortest;
  double longest;
  std::int32_t others;
  std::uint32_t ranges;
  std::uint32_t host_bytes;
  std::uint32_t wait;
  std::int32_t awaited;
  std::uint32_t unused;
};

struct Range {
  std::int32_t first;
  std::int32_t last;
};

std::vector<Range> ranges_of(std::span<const int> ranks) {
  std::vector<Range> ranges;
  for (const int rank : ranks) {
    if (!ranges.empty() && ranges.back().last + 1 == rank) {
      ranges.back().last = rank;
    } else {
      ranges.push_back({rank, rank});
    }
  }
  return ranges;
}

/// Takes `bytes` bytes off the front.
std::span<const std::byte> take(std::span<const std::byte>& from, std::size_t bytes) {
  const auto taken = from.first(bytes);
  from = from.subspan(bytes);
  return taken;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::vector<std::byte> pack(const Described& what, std::size_t longest) {
  std::vector<Range> ranges = ranges_of(what.group.ranks);
  Front front{.shortest = what.group.shortest,
              .longest = what.group.longest,
              .others = what.group.others,
              .ranges = 0,
              .host_bytes = static_cast<std::uint32_t>(std::min(what.group.host.size(), longest_host)),
              .wait = what.wait ? 1U : 0U,
              .awaited = what.group.awaited,
              .unused = 0};
  for (; ranges.size() > most_ranges; ranges.pop_back()) front.others += ranges.back().last - ranges.back().first + 1;
  front.ranges = static_cast<std::uint32_t>(ranges.size());
  const std::size_t before_words = sizeof front + ranges.size() * sizeof(Range) + front.host_bytes;
  std::vector<std::byte> bytes(before_words + std::min(what.words.size(), longest - before_words));
  std::byte* to = bytes.data();
  const auto append = [&](const void* part, std::size_t length) {
    std::memcpy(to, part, length);
    to += length;
  };
  append(&front, sizeof front);
  append(ranges.data(), ranges.size() * sizeof(Range));
  append(what.group.host.data(), front.host_bytes);
  append(what.words.data(), bytes.size() - before_words);
  return bytes;
}

std::optional<Described> unpack(std::span<const std::byte> bytes, int ranks) {
  Front front;
  if (bytes.size() < sizeof front) return {};
  std::memcpy(&front, take(bytes, sizeof front).data(), sizeof front);
  const bool fits = front.ranges > 0 && front.ranges <= most_ranges && front.host_bytes <= longest_host &&
                    bytes.size() >= front.ranges * sizeof(Range) + front.host_bytes;
  if (!fits || front.others < 0 || front.others > ranks || front.awaited >= ranks) return {};
  Described what{.words = {},
                 .wait = front.wait != 0,
                 .group = {.ranks = {},
                           .host = {},
                           .shortest = front.shortest,
                           .longest = front.longest,
                           .others = front.others,
                           .awaited = front.awaited}};
  int next = 0;
  for (std::uint32_t i = 0; i < front.ranges; ++i) {
    Range range;
    std::memcpy(&range, take(bytes, sizeof range).data(), sizeof range);
    if (range.first < next || range.last < range.first || range.last >= ranks) return {};
    for (int rank = range.first; rank <= range.last; ++rank) what.group.ranks.push_back(rank);
    next = range.last + 1;
  }
  what.group.host = as_text(take(bytes, front.host_bytes));
  what.words = as_text(bytes);
  return what;
}

}  // namespace bowline::runtime
