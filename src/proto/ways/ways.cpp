// SPDX-License-Identifier: BSD-3-Clause
#include "proto/ways/ways.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/log.hpp"
#include "proto/peer.hpp"

namespace bowline::proto {
namespace {

// Processes that read the memory of one sender at the same time, from which on that counts as crowded.
constexpr unsigned crowd = 3;

// What the tries of one engine may cost in any case, in nanoseconds.
constexpr double least_budget = 20e3;

// Messages of this length may be tried with a part of them (WayChoice::tried_bytes).
constexpr std::size_t shortest_in_parts = 128 << 10;

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
    const bool tries = ways.rest.receive == nullptr || bytes < shortest_in_parts;
    const WayChoice::Next next = choice.next(ways.possible, bytes, similar(all, rhythm, size_class), budget_, tries);
    begin = {next.way, next.tried ? WayChoice::tried_bytes(next.way, bytes) : bytes, choice.in_use()};
    if (next.timed) time(ways, receive, choice, begin, bytes);
  }
  ways.warm.add(begin.way);
  ++ways.under_way;
  if (is_by_kernel(begin.way)) {
    for (std::size_t i = 0; i < ways.timed_count; ++i) ways.timed[i].spoiled |= ways.timed[i].receive != &receive;
  }
  return begin;
}

/// Begins to time the message.
void Ways::time(PeerWays& ways, const ReceiveRequest& receive, WayChoice& choice, const Begin& begin,
                std::size_t bytes) noexcept {
  if (ways.timed_count == PeerWays::most_timed) return choice.took_unknown(begin.way, 0, 0, budget_);
  // What the kernel copies does not wait for the messages before it.
  const std::uint32_t before = is_by_kernel(begin.way) ? 0 : ways.under_way;
  const bool first = !ways.warm.has(begin.way);
  ways.timed[ways.timed_count++] = {&receive, &choice,   clock_(), begin.bytes,
                                    before,   begin.way, first,    begin.bytes < bytes};
}

/// `timed_count` if the message is not timed.
std::size_t Ways::find(const PeerWays& ways, const ReceiveRequest& receive) noexcept {
  std::size_t index = 0;
  while (index < ways.timed_count && ways.timed[index].receive != &receive) ++index;
  return index;
}

/// Of a part that goes in pieces one side copies the first piece while the other one waits. In the whole message that
/// hardly counts.
double Ways::share_of_whole(const PeerWays::Timed& timed) noexcept {
  if (!timed.is_part || is_by_kernel(timed.way)) return 1;
  constexpr double short_piece = 16 << 10, long_piece = 64 << 10;
  const double pieces = static_cast<double>(timed.bytes) / (timed.way == Way::short_pieces ? short_piece : long_piece);
  return pieces / (pieces + 1);
}

void Ways::end_timed(PeerWays& ways, std::size_t index, bool failed) noexcept {
  const PeerWays::Timed timed = ways.timed[index];
  ways.timed[index] = ways.timed[--ways.timed_count];
  if (failed || timed.before > 0) return timed.choice->took_unknown(timed.way, 0, 0, budget_);
  const double nanoseconds = static_cast<double>(clock_() - timed.begin) * share_of_whole(timed);
  if (timed.spoiled) return timed.choice->took_unknown(timed.way, nanoseconds, timed.bytes, budget_);
  const bool tried = timed.choice->is_trying();
  timed.choice->took(timed.way, nanoseconds, timed.bytes, budget_);
  if (tried && !timed.choice->is_trying()) tell(*timed.choice, timed.way);
}

/// Says at the most talkative log level what a trial has found.
void Ways::tell(const WayChoice& choice, Way tried) const noexcept {
  if (!log::enabled(log::Level::debug)) return;
  for (std::size_t nearness = 0; nearness < nearness_count; ++nearness) {
    for (std::size_t place = 0; tables_[nearness] != nullptr && place < rhythms * classes; ++place) {
      const std::size_t rhythm = place / classes, size_class = place % classes;
      if (&(*tables_[nearness])[rhythm][size_class] != &choice) continue;
      constexpr std::array<std::string_view, rhythms> words{"alone", "in a row", "from a crowded sender"};
      log::message(log::Level::debug,
                   "long messages of {} KiB and more, {}, nearness {}: {} costs {:.4f} ns per byte; in use is {} with "
                   "{:.4f} ns; tries may cost {:.0f} us more",
                   std::size_t{8} << size_class, words[rhythm], name_of(static_cast<Nearness>(nearness)),
                   name_of(tried), choice.cost(tried), name_of(choice.in_use()), choice.cost(choice.in_use()),
                   budget_.left() / 1e3);
    }
  }
}

void Ways::refused(Peer& peer, const ReceiveRequest& receive, Way way) noexcept {
  PeerWays& ways = *peer.ways;
  if (++ways.refusals[proto::index_of(way)] >= most_refusals) ways.possible.remove(way);
  if (const std::size_t index = find(ways, receive); index < ways.timed_count) end_timed(ways, index, true);
}

void Ways::keep_rest(Peer& peer, const PeerWays::Rest& rest) noexcept {
  peer.ways->rest = rest;
}

bool Ways::has_rest(const Peer& peer, const ReceiveRequest& receive) noexcept {
  return peer.ways != nullptr && peer.ways->rest.receive == &receive;
}

PeerWays::Rest Ways::part_ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  PeerWays& ways = *peer.ways;
  if (const std::size_t index = find(ways, receive); index < ways.timed_count) end_timed(ways, index, false);
  return std::exchange(ways.rest, {});
}

void Ways::ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  if (peer.ways == nullptr) return;
  PeerWays& ways = *peer.ways;
  if (ways.under_way > 0) --ways.under_way;
  if (ways.rest.receive == &receive) ways.rest = {};  // it has failed
  if (ways.timed_count == 0) return;
  if (const std::size_t index = find(ways, receive); index < ways.timed_count)
    end_timed(ways, index, receive.failure != nullptr);
  for (std::size_t i = 0; i < ways.timed_count; ++i) {
    PeerWays::Timed& timed = ways.timed[i];
    if (timed.before > 0 && --timed.before == 0) timed.begin = clock_();
  }
}

}  // namespace bowline::proto
