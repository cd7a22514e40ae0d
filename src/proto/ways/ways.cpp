// SPDX-License-Identifier: BSD-3-Clause
#include "proto/ways/ways.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "proto/peer.hpp"

namespace bowline::proto {
namespace {

// Processes that read the memory of one sender at the same time, from which on that counts as crowded.
constexpr unsigned crowd = 3;

// What the tries of one engine may cost in any case, in nanoseconds.
constexpr double least_budget = 20e3;

// Refusals after which a way is given up.
constexpr unsigned most_refusals = 3;

constexpr int bits_of_first_class = std::bit_width(std::size_t{8} << 10);

constexpr std::size_t index_of(Ways::Rhythm rhythm) noexcept {
  return static_cast<std::size_t>(rhythm);
}

}  // namespace

void Ways::share_budget(std::size_t engines) noexcept {
  budget_ = TryBudget(std::max(price_of_tries / static_cast<double>(engines), least_budget));
}

std::size_t Ways::class_of(std::size_t bytes) noexcept {
  const int bits = static_cast<int>(std::bit_width(bytes)) - bits_of_first_class;
  return static_cast<std::size_t>(std::clamp(bits, 0, static_cast<int>(classes) - 1));
}

std::uint64_t Ways::steady_clock() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

PeerWays& Ways::open(Peer& peer) {
  if (peer.ways != nullptr) return *peer.ways;
  const transport::Limits& limits = peer.endpoint->limits();
  auto made = std::make_unique<PeerWays>();
  made->nearness = peer.endpoint->nearness();
  made->possible.add(Way::short_pieces);
  if (limits.long_body > 0) made->possible.add(Way::long_pieces);
  if (limits.attach_from != transport::never) {
    made->possible.add(Way::attach);
    made->possible.add(Way::attach_both);
  }
  peer.ways = std::move(made);
  return *peer.ways;
}

Ways::Table& Ways::table(Nearness nearness) {
  auto& place = tables_[static_cast<std::size_t>(nearness)];
  if (place == nullptr) {
    place = std::make_unique<Table>();
    (*place)[index_of(Rhythm::in_row)].fill(WayChoice(WayChoice::Counts::median));
  }
  return *place;
}

const WayChoice* Ways::find(Nearness nearness, Rhythm rhythm, std::size_t size_class) const noexcept {
  const auto& place = tables_[static_cast<std::size_t>(nearness)];
  return place == nullptr ? nullptr : &(*place)[index_of(rhythm)][size_class];
}

/// The choice from which expectations come: that of the next shorter class, of the next longer one, or of the same
/// class in another rhythm.
const WayChoice* Ways::similar(const Table& table, Rhythm rhythm, std::size_t size_class) noexcept {
  const auto& row = table[index_of(rhythm)];
  if (size_class > 0 && row[size_class - 1].known()) return &row[size_class - 1];
  if (size_class + 1 < classes && row[size_class + 1].known()) return &row[size_class + 1];
  const Rhythm other = rhythm == Rhythm::alone ? Rhythm::in_row : Rhythm::alone;
  const WayChoice& there = table[index_of(other)][size_class];
  return there.known() ? &there : nullptr;
}

Ways::Begin Ways::begin(Peer& peer, const ReceiveRequest& receive, std::size_t bytes, bool follows) {
  PeerWays& ways = open(peer);
  Begin begin{Way::short_pieces, bytes, Way::short_pieces};
  if (bytes == 0) {
    // Only pieces can be packed and unpacked.
  } else if (pinned_) {
    if (ways.possible.has(*pinned_)) begin.way = *pinned_;
  } else if (bytes >= shortest) {
    Table& all = table(ways.nearness);
    const bool crowded = peer.endpoint->readers() >= crowd;
    const bool in_row = follows || ways.under_way > 0;
    const Rhythm rhythm = crowded ? Rhythm::crowded : in_row ? Rhythm::in_row : Rhythm::alone;
    const std::size_t size_class = class_of(bytes);
    WayChoice& choice = all[index_of(rhythm)][size_class];
    const WayChoice::Next next = choice.next(ways.possible, bytes, similar(all, rhythm, size_class), budget_);
    begin = {next.way, next.tried ? WayChoice::tried_bytes(next.way, bytes) : bytes, choice.in_use()};
    if (next.timed) time(ways, receive, choice, begin);
  }
  ways.warm.add(begin.way);
  ++ways.under_way;
  if (is_by_kernel(begin.way)) {
    for (std::size_t i = 0; i < ways.timed_count; ++i) ways.timed[i].spoiled |= ways.timed[i].receive != &receive;
  }
  return begin;
}

/// Begins to time the message.
void Ways::time(PeerWays& ways, const ReceiveRequest& receive, WayChoice& choice, const Begin& begin) noexcept {
  if (ways.timed_count == PeerWays::most_timed) return choice.took_unknown(begin.way, 0, 0, budget_);
  // What the kernel copies does not wait for the messages before it.
  const std::uint32_t before = is_by_kernel(begin.way) ? 0 : ways.under_way;
  const bool first = !ways.warm.has(begin.way);
  ways.timed[ways.timed_count++] = {&receive, &choice, clock_(), begin.bytes, before, begin.way, first};
}

/// `timed_count` if the message is not timed.
std::size_t Ways::find(const PeerWays& ways, const ReceiveRequest& receive) noexcept {
  std::size_t index = 0;
  while (index < ways.timed_count && ways.timed[index].receive != &receive) ++index;
  return index;
}

void Ways::end_timed(PeerWays& ways, std::size_t index, bool failed) noexcept {
  const PeerWays::Timed timed = ways.timed[index];
  ways.timed[index] = ways.timed[--ways.timed_count];
  if (failed || timed.before > 0) return timed.choice->took_unknown(timed.way, 0, 0, budget_);
  const auto nanoseconds = static_cast<double>(clock_() - timed.begin);
  if (timed.spoiled) return timed.choice->took_unknown(timed.way, nanoseconds, timed.bytes, budget_);
  timed.choice->took(timed.way, nanoseconds, timed.bytes, budget_);
}

void Ways::refused(Peer& peer, const ReceiveRequest& receive, Way way) noexcept {
  PeerWays& ways = *peer.ways;
  if (++ways.refusals[proto::index_of(way)] >= most_refusals) ways.possible.remove(way);
  if (const std::size_t index = find(ways, receive); index < ways.timed_count) end_timed(ways, index, true);
}

void Ways::part_ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  PeerWays& ways = *peer.ways;
  if (const std::size_t index = find(ways, receive); index < ways.timed_count) end_timed(ways, index, false);
}

void Ways::ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  if (peer.ways == nullptr) return;
  PeerWays& ways = *peer.ways;
  if (ways.under_way > 0) --ways.under_way;
  if (ways.timed_count == 0) return;
  if (const std::size_t index = find(ways, receive); index < ways.timed_count)
    end_timed(ways, index, receive.failure != nullptr);
  for (std::size_t i = 0; i < ways.timed_count; ++i) {
    PeerWays::Timed& timed = ways.timed[i];
    if (timed.before > 0 && --timed.before == 0) timed.begin = clock_();
  }
}

}  // namespace bowline::proto
