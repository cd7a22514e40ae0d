// SPDX-License-Identifier: BSD-3-Clause
// Processes that have ended, or that cannot be reached any more. Operations that wait for such a process fail, so that
// no call waits forever. The engine checks for these processes rarely: when many flushes in a row have sent nothing,
// and when a waiting call has rested for long.
//
// A process that has left properly (MPI_Finalize) is not lost: operations that wait for it end, and nothing else
// happens. If this process uses sessions, those of the other one may go on after its MPI_Finalize, until it ends: then
// only operations on communicators of MPI_Init's world end. The engine reports its end to the directory only if a send
// fails whose failure no call of the program can report.
//
// Members that share memory wait for each other's flags there, whether or not they are connected. The operating system
// reports whether a member without a connection is alive.
//
// A network reports the end of a process only at an endpoint, so the engine first connects to the processes for which
// it waits. A receive from any source that waits when a possible sender is found lost fails; later receives wait for
// the remaining senders, if there are any.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "proto/engine.hpp"
#include "proto/process_directory.hpp"

namespace bowline::proto {
namespace {

// Until then a rank counts as merely late: asking others for it takes messages, and a connection takes memory.
Tunable<int> watch_after{"watch_after", 5, 0, 3600,
                         "seconds after its first long wait from which on a process connects to the ranks for which it "
                         "waits, to notice their end"};

bool may_seek() {
  static const auto first = std::chrono::steady_clock::now();
  return std::chrono::steady_clock::now() - first >= std::chrono::seconds(watch_after.value());
}

constexpr unsigned rests_per_doubt = 4096;
constexpr unsigned rests_in_a_sleep = 1024;  // a sleep counts as this many rests
// Bound on the polls that receive everything that a peer sent before it ended; needed if other peers send all the time.
constexpr int polls_at_most = 1000;
// Number of possible senders to which a receive from any source connects. Other ranks check the rest.
constexpr int approached_at_once = 64;

/// The error of operations that wait for a message or a word of a lost peer.
Failure silence_of(const Peer& peer, int rank_in_job) noexcept {
  return Failure::of([&] {
    const std::string how = peer.endpoint->loss();
    return Error(ErrorClass::proc_aborted,
                 fmt::format("{} {}, and nothing that it has not sent will come", process_name(peer.rank),
                             how.empty() ? "has ended" : how),
                 rank_in_job);
  });
}

bool owes_an_answer(Peer& peer) noexcept {
  const auto holds_back = [](const auto& hold) { return !hold->sends.empty(); };
  return peer.waiting() || !peer.unanswered.empty() || !peer.receiving.empty() ||
         std::ranges::any_of(peer.holds, holds_back);
}

}  // namespace

void Engine::rested(bool slept, bool waits) noexcept {
  rests_ += slept ? rests_in_a_sleep : 1;
  if (rests_ < rests_per_doubt) return;
  rests_ = 0;
  doubt(waits);
}

/// Checks for lost peers and fails the operations that wait for them. A later check repeats what an error prevents.
void Engine::doubt(bool waits) noexcept {
  try {
    fail_overtaken_watches();
    look_for_lost(waits);
  } catch (const std::exception& error) {
    log::info("the check for lost ranks failed and will be repeated: {}", error.what());
  }
}

void Engine::look_for_lost(bool waits) {
  const auto lost_ones = [&] {
    note_ended_sharers();
    const std::vector<int> awaited = approach_awaited(waits);
    const bool asks = waits && may_seek();
    const bool known = std::ranges::any_of(devices_, [](const auto* device) { return device->lost_peers() > 0; });
    std::vector<Peer*> lost;
    peers_.for_each([&](Peer& peer) {
      const bool owes =
          owes_an_answer(peer) || services_.any([&](const Service& service) { return service.awaits(peer); });
      if (owes && asks) ask_for_end(peer);
      const bool wanted =
          known || peer.given_up || owes || std::ranges::binary_search(awaited, peer.rank) || watches_ended(peer.rank);
      if (wanted && (peer.has_left() ? waits : peer.lost())) lost.push_back(&peer);
    });
    return lost;
  };
  const std::vector<Peer*> suspects = lost_ones();
  // A suspect may have sent an answer before it ended. Receive such answers first: they complete their sends, which
  // must not fail. A suspect for which no operation waits after that has ended properly.
  if (suspects.empty() || !nothing_arrives()) return;
  for (Peer* const peer : lost_ones()) {
    if (std::ranges::find(suspects, peer) != suspects.end()) give_up(*peer);
  }
}

/// Whether a session of a peer that has left, but whose process has not ended, may communicate with one here.
bool Engine::may_return(const Peer& peer) const noexcept {
  return directory_ != nullptr && directory_->has_sessions() && peer.has_left() && !peer.exits();
}

/// Whether operations in this context go on although the peer has left.
bool Engine::goes_on(const Peer& peer, std::uint32_t context) const {
  return may_return(peer) && directory_->outlives_finalize(context);
}

/// Whether every process that sends in this context is `gone`, apart from this one.
template <class Gone>
bool Engine::is_last(std::uint32_t context, Gone gone) {
  int count = 0;
  peers_.for_each([&](const Peer& peer) {
    if (gone(peer) && directory_->source(context, peer.rank) >= 0) ++count;
  });
  // This process counts as gone if it is one of the senders, unless another of its threads may send to the waiting one.
  const int own = directory_->sends_here(context) && !lock_.enabled() ? 1 : 0;
  return count + own >= directory_->senders(context);
}

/// The world ranks for whose messages receives, probes and services wait, as far as they are known, in ascending order.
std::vector<int> Engine::awaited_ranks() {
  std::vector<int> awaited;
  if (directory_ == nullptr) return awaited;
  const auto wait_for = [&](int rank) {
    if (rank >= 0) awaited.push_back(rank);
  };
  for_each_waiting([&](const Match& match, int process) {
    if (process >= 0) return wait_for(process);
    if (match.source != any_source) return wait_for(directory_->process(match.context, match.source));
    const int members = directory_->senders(match.context);
    const auto left = [&](const Peer& peer) { return peer.has_left() && !goes_on(peer, match.context); };
    const bool all_left = is_last(match.context, left);
    for (int source = 0, others = 0; source < members && others < approached_at_once; ++source) {
      const int rank = directory_->process(match.context, source);
      // Skips a process that has left properly, as long as there are others.
      const Peer* const peer = rank < 0 ? nullptr : peers_.known(rank);
      const bool has_left = peer != nullptr && left(*peer);
      if (all_left || !has_left) wait_for(rank);
      if (!has_left) ++others;
    }
  });
  std::ranges::sort(awaited);
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  return awaited;
}

/// As awaited_ranks(), and the watched rank. Connects to these ranks where approach() allows it, and asks them for
/// their good-bye.
std::vector<int> Engine::approach_awaited(bool waits) {
  std::vector<int> awaited = awaited_ranks();
  const bool seeks = may_seek();
  for (const int rank : awaited) {
    const bool awaits_end = seeks && waits;
    Peer* const peer = approach(rank, seeks, awaits_end);
    if (peer != nullptr && awaits_end) ask_for_end(*peer);
  }
  if (directory_ != nullptr && watched_rank_ >= 0) {
    approach(watched_rank_, seeks, false);
    awaited.insert(std::ranges::lower_bound(awaited, watched_rank_), watched_rank_);
  }
  return awaited;
}

/// Returns the peer with this rank, and connects to it if its address is known; nullptr if there is no connection.
/// `seeks`: has an unknown address sought. `awaits_end`: also looks whether the rank has left; one that has
/// left and cannot be reached is entered as such.
Peer* Engine::approach(int rank, bool seeks, bool awaits_end) noexcept {
  try {
    if (Peer* const known = peers_.known(rank)) return known;
    const bool has_left = awaits_end && directory_->has_left(rank);
    if (!has_left) {
      if (seeks && !directory_->approachable(rank)) directory_->seek(rank);
      if (!directory_->approachable(rank)) return nullptr;
    }
    log::info("looks after {}", process_name(rank));
    try {
      return &peers_[rank];
    } catch (const std::exception&) {
      if (!has_left) throw;
      return &peers_.enter_unreachable(rank, true);
    }
  } catch (const std::exception& error) {
    log::info("{} cannot be watched: {}", process_name(rank), error.what());
    return nullptr;
  }
}

/// Enters the members of shared memory that have ended and were not connected.
void Engine::note_ended_sharers() {
  watches_.find([&](const Watch& watch) {
    if (watch.lost() && peers_.known(watch.rank()) == nullptr) peers_.enter_unreachable(watch.rank());
    return false;
  });
}

/// Fails the watches on words that no process will advance any more. The next round of progress resumes their waiters.
void Engine::fail_overtaken_watches() {
  watches_.find([](Watch& watch) {
    if (watch.sharers != nullptr && watch.failure == nullptr) watch.failure = watch.sharers->overtaken(watch);
    return false;
  });
}

/// Whether a watch waits for a word that this rank was to advance, and the rank has ended.
bool Engine::watches_ended(int rank) {
  return watches_.find([&](const Watch& watch) { return watch.rank() == rank && watch.lost(); }) != nullptr;
}

/// Calls `action` with the match of every posted receive, waiting probe and waiting operation of a service, and with
/// the sender where only the operation knows it, else -1.
template <class Action>
void Engine::for_each_waiting(Action action) {
  const auto each = [&](const ReceiveRequest& receive) {
    action(Match{receive.context, receive.source, receive.tag}, receive.process);
    return false;
  };
  for (const auto& queue : queues_) {
    if (queue != nullptr) queue->posted.all().find(each);
  }
  const auto by_match = [&](const Match& match) { action(match, -1); };
  probes_.find([&](const WaitingProbe& probe) { return by_match(probe.match), false; });
  services_.for_each([&](const Service& service) { service.for_each_waiting(std::ref(by_match)); });
}

bool Engine::nothing_arrives() {
  for (int polls = 0; polls < polls_at_most; ++polls) {
    unsigned events = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
    if (events == 0) return true;
  }
  return false;
}

void Engine::give_up(Peer& peer) noexcept {
  const bool found_now = !std::exchange(peer.given_up, true);
  any_given_up_ = true;
  const bool has_left = peer.has_left();
  const auto loss = [&](const char* consequence) {
    if (peer.broken != nullptr) return peer.broken;
    return Failure::of([&] {
      const std::string how = peer.said != Farewell::none ? "" : peer.endpoint->loss();
      const char* const otherwise = has_left ? "has called MPI_Finalize" : "has ended";
      return Error(ErrorClass::proc_aborted,
                   fmt::format("{} {}{}", process_name(peer.rank), how.empty() ? otherwise : how, consequence),
                   rank_in_job(peer.rank));
    });
  };
  const Failure deafness = loss(", and messages to it are not received any more");
  const bool unheard = fail_sends(peer, deafness);
  const Failure silence = loss(", and nothing that it has not sent will come");
  fail_receives(peer, silence, found_now && !has_left);
  fail_watches(peer, silence);
  if (directory_ == nullptr) return;
  if (unheard) {
    directory_->lost(peer.rank, *deafness);
  } else if (found_now && !has_left) {
    directory_->lost(peer.rank, *loss(""));
  }
}

/// Fails the sends to this peer. Returns whether one of these failures will not be reported by a call of the program.
bool Engine::fail_sends(Peer& peer, const Failure& why) noexcept {
  const bool has_left = peer.has_left();
  const bool returns = may_return(peer);
  bool unheard = false;
  // A peer whose connection this process has closed may still receive the notification of that.
  while (((has_left && !returns) || peer.endpoint->lost()) && !peer.controls.empty())
    control_pool_.destroy(&peer.controls.pop_front());
  List<SendRequest> doomed;
  const auto take = [&](List<SendRequest>& sends) {
    List<SendRequest> all;
    all.append(sends);
    while (!all.empty()) {
      SendRequest& send = all.pop_front();
      (goes_on(peer, send.header.context) ? sends : doomed).push_back(send);
    }
  };
  take(peer.unanswered);
  for (const auto& hold : peer.holds) take(hold->sends);
  take(peer.sends);
  if (peer.waiting() && peer.controls.empty() && peer.sends.empty()) List<Peer>::remove(peer);
  while (!doomed.empty()) {
    SendRequest& send = doomed.pop_front();
    if (send.asked_back && has_left) {  // it was not answered because no receive had matched it
      send.status.cancelled = true;
    } else {
      fail(send, why);
      unheard = unheard || send.detached || draining_;
    }
    end_stream(send);
  }
  if (!returns) services_.for_each([&](Service& service) { service.unheard(peer, why); });
  return unheard;
}

/// Fails the receives, probes and service operations that wait for this peer. `found_now`: this loss is new, so waiting
/// receives from any source fail as well.
void Engine::fail_receives(Peer& peer, const Failure& why, bool found_now) noexcept {
  const auto ends = [&](const ReceiveRequest& each) { return !goes_on(peer, each.context); };
  while (ReceiveRequest* const found = peer.receiving.find(ends)) {
    ReceiveRequest& receive = *found;
    deregister(receive, *peer.endpoint);
    fail(receive, why);
    long_message_received(receive);
  }
  if (directory_ == nullptr) return;
  const auto doomed = [&](std::uint32_t context, int source) {
    if (goes_on(peer, context)) return false;
    if (source != any_source) return source == directory_->source(context, peer.rank);
    const auto given_up = [&](const Peer& each) { return each.given_up && !goes_on(each, context); };
    return directory_->source(context, peer.rank) >= 0 && (found_now || is_last(context, given_up));
  };
  for (std::size_t slot = 0; slot < queues_.size(); ++slot) {  // by index: completing a failed receive may add queues
    if (queues_[slot] == nullptr) continue;
    PostedQueue& posted = queues_[slot]->posted;
    const auto is_doomed = [&](const ReceiveRequest& each) {
      return each.process < 0 ? doomed(each.context, each.source) : each.process == peer.rank && ends(each);
    };
    while (ReceiveRequest* const receive = posted.all().find(is_doomed)) {
      posted.remove(*receive);
      fail(*receive, why);
      complete(*receive);
    }
  }
  probes_.find([&](WaitingProbe& probe) {
    if (doomed(probe.match.context, probe.match.source)) probe.failure = why;
    return false;
  });
  const auto doomed_match = [&](int origin, const Match& match) {
    return (origin == peer.rank && !goes_on(peer, match.context)) || doomed(match.context, match.source);
  };
  services_.for_each([&](Service& service) { service.unanswered(std::ref(doomed_match), why); });
}

/// Fails the watch if its peer was given up earlier and has ended: the next round of progress resumes its coroutine.
void Engine::watch_lost(const Watch& watch) noexcept {
  const Peer* const peer = watch.rank() < 0 ? nullptr : peers_.known(watch.rank());
  if (peer != nullptr && peer->given_up && watch.lost())
    fail_watches(*peer, silence_of(*peer, rank_in_job(peer->rank)));
}

/// Fails the watches on words of this peer. All that it wrote before its end is visible, so a word that has not reached
/// its value never will. The next round of progress resumes the waiters.
void Engine::fail_watches(const Peer& peer, const Failure& why) noexcept {
  watches_.find([&](Watch& each) {
    if (each.rank() == peer.rank && each.failure == nullptr && each.lost()) each.failure = why;
    return false;
  });
}

}  // namespace bowline::proto
