// SPDX-License-Identifier: BSD-3-Clause
#include "proto/paths/path_chooser.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <utility>

#include "base/counter.hpp"
#include "base/log.hpp"
#include "proto/peer.hpp"

namespace bowline::proto {
namespace {

// Shorter messages are not measured: they are announced only if the receiver has asked for announcements.
constexpr std::size_t shortest = 4 << 10;
// Messages from this length on may be tried with their first part (tried_bytes()).
constexpr std::size_t shortest_in_parts = 128 << 10;
// From so many processes on that read the memory of one sender at the same time, messages count as crowded.
constexpr unsigned crowd = 3;
// What the tries of one engine may cost in any case, in nanoseconds.
constexpr double least_budget = 20e3;
// Refusals after which a path is not tried any more.
constexpr unsigned most_refusals = 3;

Counter changes(Category::messages, "path_changes", "times that long messages of some kind changed their path");
Counter tries(Category::messages, "path_tries",
              "long messages that took another path than the one in use, to see what it costs");

/// If a part of a message goes in pieces, one side copies the first piece while the other side waits. In the whole
/// message that wait hardly counts.
double share_of_whole(const PeerPaths::Timed& timed) noexcept {
  if (!timed.is_part || is_by_kernel(timed.path)) return 1;
  const double pieces = static_cast<double>(timed.bytes) / (timed.path == Path::short_pieces ? 16 << 10 : 64 << 10);
  return pieces / (pieces + 1);
}

std::string_view in_words(Rhythm rhythm) noexcept {
  constexpr std::array<std::string_view, rhythm_count> words{"alone", "in a row", "from a crowded sender",
                                                             "in an exchange"};
  return words[static_cast<std::size_t>(rhythm)];
}

/// The time that the message has cost. `now`: when its data had arrived.
double cost_in_time(const PeerPaths::Timed& timed, std::uint64_t now) noexcept {
  const auto passed = static_cast<double>(std::max(now - timed.begin, std::uint64_t{1}));
  if (timed.rhythm != Rhythm::exchange) return passed * share_of_whole(timed);
  if (timed.path == Path::single_copy) return passed;
  // The sender copies as much as this process.
  return 2 * (is_by_kernel(timed.path) ? passed : static_cast<double>(std::max(timed.work, std::uint64_t{1})));
}

}  // namespace

PeerPaths::PeerPaths(transport::Endpoint& endpoint) : nearness(endpoint.nearness()) {
  const transport::Limits& limits = endpoint.limits();
  possible[index_of(Path::short_pieces)] = true;
  possible[index_of(Path::long_pieces)] = limits.long_body > 0;
  possible[index_of(Path::single_copy)] = possible[index_of(Path::single_copy_by_both)] =
      limits.single_copy_from != transport::never;
  timed.reserve(most_timed);
}

void PathChooser::share_budget(std::size_t engines) noexcept {
  budget_ = ExplorationBudget(std::max(price_of_tries / static_cast<double>(engines), least_budget));
}

std::size_t PathChooser::class_of(std::size_t bytes) noexcept {
  return std::min(static_cast<std::size_t>(std::bit_width(bytes >> 14)), classes - 1);
}

std::uint64_t PathChooser::steady_clock() noexcept {
  const std::chrono::nanoseconds now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(now.count());
}

const Tuner* PathChooser::find(Nearness nearness, Rhythm rhythm, std::size_t size_class) const noexcept {
  const std::vector<Tuner>& table = tables_[static_cast<std::size_t>(nearness)];
  return table.empty() ? nullptr : &table[static_cast<std::size_t>(rhythm) * classes + size_class];
}

PathChooser::Begin PathChooser::begin(Peer& peer, const ReceiveRequest& receive, std::size_t bytes, bool follows) {
  if (peer.paths == nullptr) peer.paths = std::make_unique<PeerPaths>(*peer.endpoint);
  PeerPaths& paths = *peer.paths;
  Begin begin{Path::short_pieces, bytes, Path::short_pieces, Rhythm::alone};
  if (bytes == 0) {
    // Only pieces can be packed and unpacked.
  } else if (pinned_) {
    if (paths.possible[index_of(*pinned_)]) begin.path = *pinned_;
  } else if (bytes >= shortest) {
    begin = choose(paths, receive, bytes, rhythm_of(peer, follows));
  }
  paths.warm[index_of(begin.path)] = true;
  ++paths.under_way;
  if (is_by_kernel(begin.path))
    for (PeerPaths::Timed& timed : paths.timed)
      timed.spoiled |= timed.receive != &receive && timed.rhythm != Rhythm::exchange;
  return begin;
}

Rhythm PathChooser::rhythm_of(const Peer& peer, bool follows) noexcept {
  if (peer.endpoint->readers() >= crowd) return Rhythm::crowded;
  if (!peer.unanswered.empty() || !peer.sends.empty()) return Rhythm::exchange;
  return follows || peer.paths->under_way > 0 ? Rhythm::in_row : Rhythm::alone;
}

PathChooser::Begin PathChooser::choose(PeerPaths& paths, const ReceiveRequest& receive, std::size_t bytes,
                                       Rhythm rhythm) {
  std::vector<Tuner>& table = tables_[static_cast<std::size_t>(paths.nearness)];
  if (table.empty()) {
    table.assign(rhythm_count * classes, Tuner(path_rules(false), path_count));
    std::fill_n(table.begin() + classes, classes, Tuner(path_rules(true), path_count));
  }
  const std::size_t size_class = class_of(bytes);
  Tuner* const row = &table[static_cast<std::size_t>(rhythm) * classes];
  Tuner& tuner = row[size_class];
  // Expectations come from the next shorter class, the next longer one, or the same class in another rhythm.
  const Tuner* similar = &table[(rhythm == Rhythm::alone ? classes : 0) + size_class];
  if (size_class + 1 < classes && row[size_class + 1].known()) similar = &row[size_class + 1];
  if (size_class > 0 && row[size_class - 1].known()) similar = &row[size_class - 1];

  Tuner::Operation message = operation(tuner, paths.possible, bytes, similar, budget_);
  message.may_explore = paths.rest.receive == nullptr || bytes < shortest_in_parts;
  const Tuner::Next next = tuner.next(message);
  const Path path = all_paths[next.candidate];
  if (next.explores) tries.add();
  const std::size_t part = next.explores ? tried_bytes(path, bytes, is_known(path, tuner, similar)) : bytes;
  if (next.timed && paths.timed.size() == PeerPaths::most_timed) {
    tuner.lost(next.candidate);
  } else if (next.timed) {
    // A message that the kernel copies does not wait for the messages before it.
    const std::uint32_t before = rhythm == Rhythm::exchange || is_by_kernel(path) ? 0 : paths.under_way;
    const bool first = !paths.warm[next.candidate];
    paths.timed.push_back({&receive, &tuner, clock_(), part, before, path, first, part < bytes, rhythm});
  }
  return {path, part, all_paths[tuner.in_use()], rhythm};
}

/// Ends the timing of the message, if it is timed.
void PathChooser::end_timed(PeerPaths& paths, const ReceiveRequest& receive, bool failed) noexcept {
  const auto found = std::ranges::find(paths.timed, &receive, &PeerPaths::Timed::receive);
  if (found == paths.timed.end()) return;
  const PeerPaths::Timed timed = *found;
  paths.timed.erase(found);
  Tuner& tuner = *timed.tuner;
  const std::size_t candidate = index_of(timed.path);
  if (failed || timed.before > 0) return tuner.lost(candidate);
  const auto bytes = static_cast<double>(timed.bytes);
  const auto cost = static_cast<float>(cost_in_time(timed, clock_()) / bytes);
  if (timed.spoiled) return tuner.lost(candidate, cost, bytes, &budget_);
  const std::size_t before = tuner.in_use();
  const bool first = !tuner.knows(candidate);
  if (tuner.took(candidate, cost, bytes, &budget_) && log::enabled(log::Level::debug))
    log::message(log::Level::debug,
                 "long messages, such as of {} bytes, {}, nearness {}: {} costs {:.4f} ns per byte; in use is {} with "
                 "{:.4f} ns; tries may cost {:.0f} us more",
                 timed.bytes, in_words(timed.rhythm), name_of(paths.nearness), name_of(timed.path),
                 tuner.cost(candidate), name_of(all_paths[tuner.in_use()]), tuner.cost(tuner.in_use()),
                 budget_.left() / 1e3);
  if (!first && tuner.in_use() != before) changes.add();
}

void PathChooser::refused(Peer& peer, const ReceiveRequest& receive, Path path) noexcept {
  PeerPaths& paths = *peer.paths;
  if (++paths.refusals[index_of(path)] >= most_refusals) paths.possible[index_of(path)] = false;
  end_timed(paths, receive, true);
}

PathChooser::Section::Section(const PathChooser& chooser, Peer& peer, const ReceiveRequest& receive) noexcept
    : clock_(chooser.clock_) {
  if (peer.paths == nullptr || peer.paths->timed.empty()) return;
  const auto found = std::ranges::find(peer.paths->timed, &receive, &PeerPaths::Timed::receive);
  if (found == peer.paths->timed.end() || found->rhythm != Rhythm::exchange) return;
  timed_ = &*found;
  begin_ = clock_();
}

void PathChooser::half_ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  end_timed(*peer.paths, receive, receive.failure != nullptr);
}

bool PathChooser::has_rest(const Peer& peer, const ReceiveRequest& receive) noexcept {
  return peer.paths != nullptr && peer.paths->rest.receive == &receive;
}

PeerPaths::Rest PathChooser::part_ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  end_timed(*peer.paths, receive, false);
  return std::exchange(peer.paths->rest, {});
}

void PathChooser::ended(Peer& peer, const ReceiveRequest& receive) noexcept {
  if (peer.paths == nullptr) return;
  PeerPaths& paths = *peer.paths;
  if (paths.under_way > 0) --paths.under_way;
  if (paths.rest.receive == &receive) paths.rest = {};  // the message has failed
  if (paths.timed.empty()) return;
  end_timed(paths, receive, receive.failure != nullptr);
  for (PeerPaths::Timed& timed : paths.timed)
    if (timed.before > 0 && --timed.before == 0) timed.begin = clock_();
}

}  // namespace bowline::proto
