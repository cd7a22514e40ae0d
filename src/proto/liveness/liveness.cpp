// SPDX-License-Identifier: BSD-3-Clause
// How the engine finds the peers that are lost.
//
// Members that share memory wait for each other's flags there, whether or not they are connected. The operating system
// reports whether a member without a connection is alive.
//
// A network reports the end of a process only at an endpoint, so the engine first connects to the processes for which
// it waits. A rank whose address is known, but to which there is no way, is lost after a few attempts. The directory
// knows of nodes that do not answer, which a network may not report, and what the launcher says of lost processes, to
// which a network may still look for a way.
#include "proto/liveness/liveness.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

// Until a wait has lasted this long, a rank counts as merely late: asking others for it takes messages, and a
// connection takes memory.
Tunable<int> watch_after(TunableTraits(Category::losses).for_users().at_any_time(), "watch_after", 5, 0, 3600,
                         "seconds after its first long wait from which on a process connects to the ranks for which it "
                         "waits, to notice their end");

// The same in jobs that go on without lost ranks.
constexpr std::chrono::seconds watch_soon{1};

// A rank to which there is still no way after so many attempts, each so long after the one before, is lost.
constexpr int attempts_at_most = 3;
constexpr std::chrono::milliseconds between_attempts{250};

// How long the connection to a process that is lost, as the launcher says, may bring what the process had sent.
constexpr std::chrono::milliseconds until_abandoned{500};

constexpr unsigned rests_per_check = 4096;
constexpr std::chrono::milliseconds between_checks{25};  // of a call that sleeps
// Bound on the polls that receive everything that a peer sent before it ended; needed if other peers send all the time.
constexpr int polls_at_most = 1000;
// Number of possible senders to which a receive from any source connects. Other ranks check the other senders.
constexpr int approached_at_once = 64;

bool must_answer(Peer& peer) noexcept {
  const auto waits = [](const auto& context) { return !context->sends.empty(); };
  return peer.waiting() || !peer.unanswered.empty() || !peer.receiving.empty() ||
         std::ranges::any_of(peer.paused_contexts, waits);
}

}  // namespace

void Liveness::rested(bool slept, bool waits) noexcept {
  if (slept) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_check_ < between_checks) return;
    last_check_ = now;
  } else if (++rests_ < rests_per_check) {
    return;
  }
  rests_ = 0;
  check(waits);
}

void Liveness::check_soon() noexcept {
  rests_ = rests_per_check;
  last_check_ = {};
}

// A later check repeats what an error prevents.
void Liveness::check(bool waits) noexcept {
  try {
    fail_overtaken_watches();
    fail_lost(waits);
    engine_.services().for_each([](Service& service) { service.checked(); });
  } catch (const std::exception& error) {
    log::info("the check for lost ranks failed and will be repeated: {}", error.what());
  }
}

void Liveness::fail_lost(bool waits) {
  const std::vector<Peer*> suspects = find_lost(waits);
  // A suspect may have sent an answer before it ended. Receive such answers first: the answers complete sends, which
  // must not fail. A suspect for which no operation waits after that has ended properly.
  if (suspects.empty() || !nothing_arrives()) return;
  for (Peer* const peer : find_lost(waits)) {
    if (std::ranges::find(suspects, peer) != suspects.end()) fail_operations(*peer);
  }
}

/// The peers that are lost, or with `waits` have left, and concern an operation.
std::vector<Peer*> Liveness::find_lost(bool waits) {
  note_ended_sharers();
  abandon_cut_off();
  const std::vector<int> awaited = approach_awaited(waits);
  const bool asks = waits && seeks();
  const bool known =
      std::ranges::any_of(engine_.loop().devices(), [](const auto* device) { return device->lost_peers() > 0; });
  const bool keeps_messages =
      std::ranges::any_of(engine_.loop().devices(), [](auto* device) { return !device->drained(); });
  std::vector<Peer*> lost;
  engine_.peers().for_each([&](Peer& peer) {
    const bool answer_awaited =
        must_answer(peer) || engine_.services().any([&](const Service& service) { return service.awaits(peer); });
    if (answer_awaited && asks) Farewells::ask_for_end(peer);
    const bool wanted = known || peer.failed || answer_awaited || std::ranges::binary_search(awaited, peer.rank) ||
                        watches_ended(peer.rank);
    if (wanted || keeps_messages) abandon_if_told_lost(peer);
    if (wanted && (peer.has_left() ? waits : peer.lost())) lost.push_back(&peer);
  });
  return lost;
}

/// Receives what has arrived. Returns whether that is all.
bool Liveness::nothing_arrives() {
  unsigned events = 0;
  for (int polls = 0; polls < polls_at_most; ++polls) {
    events = engine_.loop().poll_devices();
    // A single poll does not look everywhere.
    if (events == 0 && !engine_.loop().device_ready()) return true;
  }
  return events == 0;  // what is ready cannot be received
}

bool Liveness::has_failed(int rank) const noexcept {
  const Peer* const peer = engine_.peers().known(rank);
  return peer != nullptr && peer->failed && !may_return(*peer);
}

bool Liveness::is_lost(int process) const noexcept {
  if (const Peer* const peer = engine_.peers().known(process)) return peer->lost() && !peer->has_left();
  try {
    return directory_ != nullptr && directory_->is_lost(process);
  } catch (const std::exception& error) {
    log::info("whether {} is lost cannot be seen: {}", process_name(process), error.what());
    return false;
  }
}

bool Liveness::forgets(int rank) const noexcept {
  const Peer* const peer = engine_.peers().known(rank);
  return peer != nullptr && peer->failed && may_return(*peer);
}

bool Liveness::ignores(int rank, transport::Header header) const noexcept {
  const Peer* const peer = engine_.peers().known(rank);
  if (peer == nullptr || !peer->failed || may_return(*peer)) return false;
  // Eager messages that were on their way are received, unless the connection was closed.
  const auto kind = static_cast<Kind>(header.kind);
  return (kind != Kind::eager && kind != Kind::eager_typed) || peer->broken != nullptr;
}

/// Whether a session of a peer that has left, but whose process has not ended, may communicate with a session here.
bool Liveness::may_return(const Peer& peer) const noexcept {
  return directory_ != nullptr && directory_->has_sessions() && peer.has_left() && !peer.exits();
}

/// Whether operations in this context go on although the peer has left.
bool Liveness::goes_on(const Peer& peer, std::uint32_t context) const {
  return may_return(peer) && directory_->outlives_finalize(context);
}

/// Whether every process other than this one that sends in the context is `gone`.
bool Liveness::is_last(std::uint32_t context, const std::function<bool(const Peer&)>& gone) {
  int count = 0;
  engine_.peers().for_each([&](const Peer& peer) {
    if (gone(peer) && directory_->source(context, peer.rank) >= 0) ++count;
  });
  // This process counts as gone if it is one of the senders, unless another of its threads may send to the waiting
  // thread.
  const int own = directory_->sends_here(context) && !engine_.lock().enabled() ? 1 : 0;
  return count + own >= directory_->senders(context);
}

/// The world ranks for whose messages receives, probes and services wait, as far as they are known, in ascending order.
std::vector<int> Liveness::awaited_ranks() {
  std::vector<int> awaited;
  if (directory_ == nullptr) return awaited;
  const auto wait_for = [&](int rank) {
    if (rank >= 0) awaited.push_back(rank);
  };
  const auto add = [&](const Match& match, int process) {
    if (process >= 0) return wait_for(process);
    if (match.source != any_source) return wait_for(directory_->process(match.context, match.source));
    const int members = directory_->senders(match.context);
    const auto left = [&](const Peer& peer) { return peer.has_left() && !goes_on(peer, match.context); };
    const bool all_left = is_last(match.context, left);
    for (int source = 0, others = 0; source < members && others < approached_at_once; ++source) {
      const int rank = directory_->process(match.context, source);
      // Skips a process that has left properly, as long as there are others.
      const Peer* const peer = rank < 0 ? nullptr : engine_.peers().known(rank);
      const bool has_left = peer != nullptr && left(*peer);
      if (all_left || !has_left) wait_for(rank);
      if (!has_left) ++others;
    }
  };
  engine_.services().for_each([&](Service& service) { service.for_each_waiting(std::ref(add)); });
  std::ranges::sort(awaited);
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  return awaited;
}

/// As awaited_ranks(), and the watched rank. Connects to these ranks where approach() allows it, and asks them for
/// their good-bye.
std::vector<int> Liveness::approach_awaited(bool waits) {
  std::vector<int> awaited = awaited_ranks();
  const bool may_seek = seeks();
  for (const int rank : awaited) {
    const bool awaits_end = may_seek && waits;
    Peer* const peer = approach(rank, may_seek, awaits_end);
    if (peer != nullptr && awaits_end) Farewells::ask_for_end(*peer);
  }
  if (directory_ != nullptr && watched_rank_ >= 0) {
    approach(watched_rank_, may_seek, false);
    awaited.insert(std::ranges::lower_bound(awaited, watched_rank_), watched_rank_);
  }
  return awaited;
}

/// Whether this process makes contact with ranks for which it waits.
bool Liveness::seeks() const {
  static const auto first = std::chrono::steady_clock::now();
  const std::chrono::seconds after(watch_after.value());
  const bool soon = directory_ != nullptr && directory_->keeps_going();
  return std::chrono::steady_clock::now() - first >= (soon ? std::min(after, watch_soon) : after);
}

/// Returns the peer with this rank, and connects to it if its address is known; nullptr if there is no connection.
/// `may_seek`: has an unknown address sought. `awaits_end`: also looks whether the rank has left; a rank that has left
/// and cannot be reached is entered as left.
Peer* Liveness::approach(int rank, bool may_seek, bool awaits_end) noexcept {
  try {
    if (Peer* const known = engine_.peers().known(rank)) return known;
    if (directory_->is_lost(rank)) return &engine_.peers().enter_unreachable(rank);
    const bool has_left = awaits_end && directory_->has_left(rank);
    if (!has_left) {
      if (may_seek && !directory_->approachable(rank)) directory_->seek(rank);
      if (!directory_->approachable(rank)) return nullptr;
      if (!is_time_to_approach(rank)) return nullptr;
    }
    log::info("looks after {}", process_name(rank));
    try {
      return &engine_.peer(rank);
    } catch (const transport::NotYet&) {
      throw;
    } catch (const Error&) {
      if (!has_left && ++attempts_[rank].made < attempts_at_most) throw;
      return &engine_.peers().enter_unreachable(rank, has_left);
    }
  } catch (const std::exception& error) {
    log::info("{} cannot be watched: {}", process_name(rank), error.what());
    return nullptr;
  }
}

bool Liveness::is_time_to_approach(int rank) {
  const auto now = std::chrono::steady_clock::now();
  const auto [attempts, first] = attempts_.try_emplace(rank);
  if (!first && now - attempts->second.latest < between_attempts) return false;
  attempts->second.latest = now;
  return true;
}

/// Enters the members of shared memory that have ended and were not connected.
void Liveness::note_ended_sharers() {
  engine_.coroutines().for_each_watch([&](const Watch& watch) {
    if (watch.lost() && engine_.peers().known(watch.rank()) == nullptr) engine_.peers().enter_unreachable(watch.rank());
  });
}

/// Gives up the peers whose nodes do not answer any more.
void Liveness::abandon_cut_off() {
  if (directory_ == nullptr || !directory_->any_cut_off()) return;
  engine_.peers().for_each([this](Peer& peer) {
    if (peer.lost()) return;
    if (const std::string why = directory_->why_cut_off(peer.rank); !why.empty()) peer.endpoint->abandon(why);
  });
}

/// Gives up a peer whose process the launcher knows to be lost, but whose connection does not show it. The engine may
/// have closed the connection already: then the transport still has the message that says so.
void Liveness::abandon_if_told_lost(Peer& peer) {
  if (directory_ == nullptr || peer.endpoint->lost() || peer.has_left() || !directory_->is_lost(peer.rank)) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - told_lost_.try_emplace(peer.rank, now).first->second < until_abandoned) return;
  peer.endpoint->abandon(directory_->loss(peer.rank));
}

/// Whether a watch waits for a word that this rank was to advance, and the rank has ended.
bool Liveness::watches_ended(int rank) {
  const auto waits_for_it = [&](const Watch& watch) { return watch.rank() == rank && watch.lost(); };
  return engine_.coroutines().find_watch(waits_for_it) != nullptr;
}

}  // namespace bowline::proto
