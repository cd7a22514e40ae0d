// SPDX-License-Identifier: BSD-3-Clause
// Processes that have ended, or cannot be reached any more: what waits for one of them fails, so that no call waits for
// ever. That is asked for rarely: when flushing has moved nothing for long, and when waiting calls have rested for
// long.
//
// A network tells of the end of those only to whom there is an endpoint, so first contact is made with those that this
// process waits for. A receive from any source fails if it waits when the loss of one that might have sent is found;
// those that are posted later wait for the others, as long as there are any.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/tunable.hpp"
#include "proto/census.hpp"
#include "proto/engine.hpp"
#include "proto/partitioned.hpp"

namespace bowline::proto {
namespace {

// Slurm loses a question about a rank whose node has not started its part of the job yet, and whoever asks again then
// waits for the answer to the first question.
Tunable<int> watch_after{"watch_after", 5, 0, 3600,
                         "seconds after its first long wait from which on a process asks where those are that it waits "
                         "for, to make contact and hear of their end"};

bool may_seek() {
  static const auto first = std::chrono::steady_clock::now();
  return std::chrono::steady_clock::now() - first >= std::chrono::seconds(watch_after.value());
}

constexpr unsigned rests_per_doubt = 4096;
constexpr unsigned rests_in_a_sleep = 1024;  // a sleep is long
// Polls that take in everything that a peer can have sent before it ended, unless others send all the time.
constexpr int polls_at_most = 1000;
// A receive from any source makes first contact with so many that may send; more are watched by others.
constexpr int approached_at_once = 64;

bool owes_an_answer(Peer& peer) noexcept {
  const auto holds_back = [](const auto& hold) { return !hold->sends.empty(); };
  return peer.waiting() || !peer.unanswered.empty() || !peer.receiving.empty() ||
         std::ranges::any_of(peer.holds, holds_back);
}

}  // namespace

void Engine::rested(bool slept) {
  rests_ += slept ? rests_in_a_sleep : 1;
  if (rests_ < rests_per_doubt) return;
  rests_ = 0;
  doubt();
}

/// Fails what waits for peers that have ended.
void Engine::doubt() {
  const auto lost_ones = [this] {
    const std::vector<int> awaited = approach_awaited();
    const bool known = std::ranges::any_of(devices_, [](const auto* device) { return device->lost_peers() > 0; });
    std::vector<Peer*> lost;
    peers_.for_each([&](Peer& peer) {
      const bool wanted = known || peer.given_up || owes_an_answer(peer) || partitioned_->awaits(peer) ||
                          std::ranges::binary_search(awaited, peer.rank);
      if (wanted && peer.endpoint->lost()) lost.push_back(&peer);
    });
    return lost;
  };
  const std::vector<Peer*> suspects = lost_ones();
  // An answer may have been sent before the end: it counts, and must not come to a send that has failed. If nothing
  // more is wanted of its sender then, that has ended as it should.
  if (suspects.empty() || !nothing_arrives()) return;
  for (Peer* const peer : lost_ones()) {
    if (std::ranges::find(suspects, peer) != suspects.end()) give_up(*peer);
  }
}

/// Whether no other process is there that sends in this context but those who are `gone`.
template <class Gone>
bool Engine::is_last(std::uint32_t context, Gone gone) {
  int count = 0;
  peers_.for_each([&](const Peer& peer) {
    if (gone(peer) && census_->source(context, peer.rank) >= 0) ++count;
  });
  const int own = 1;  // of an intercommunicator it sends to the other side only, where then nobody is left either
  return count + own >= census_->senders(context);
}

/// The world ranks from which something may come that is waited for, in ascending order, as far as they can be known.
/// Makes first contact with those for which that is worth its while.
std::vector<int> Engine::approach_awaited() {
  std::vector<int> awaited;
  if (census_ == nullptr) return awaited;
  const auto wait_for = [&](int rank) {
    if (rank >= 0) awaited.push_back(rank);
  };
  for_each_waiting([&](const Match& match) {
    if (match.source != any_source) return wait_for(census_->world_rank(match.context, match.source));
    const int members = std::min(census_->senders(match.context), approached_at_once);
    const bool all_left = is_last(match.context, [](const Peer& peer) { return peer.endpoint->left(); });
    for (int source = 0; source < members; ++source) {
      const int rank = census_->world_rank(match.context, source);
      // Of those who have left as they should nobody expects a message, as long as there are others.
      const Peer* const peer = rank < 0 ? nullptr : peers_.known(rank);
      if (all_left || peer == nullptr || !peer->endpoint->left()) wait_for(rank);
    }
  });
  wait_for(watched_rank_);
  std::ranges::sort(awaited);
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  const bool seeks = may_seek();
  for (const int rank : awaited) {
    try {
      if (peers_.known(rank) != nullptr) continue;
      if (seeks && !census_->approachable(rank)) seek(rank);
      if (!census_->approachable(rank)) continue;
      peers_[rank];
      log::info("looks after rank {}", rank);
    } catch (const Error& error) {
      log::info("rank {} cannot be watched: {}", rank, error.what());
    }
  }
  return awaited;
}

/// The launcher says nothing of a rank that was alone on its node and has ended: another process may remember it.
void Engine::seek(int rank) {
  const int informant = census_->seek(rank);
  if (informant < 0 || peers_[informant].endpoint->lost()) return;
  log::info("asks rank {} where rank {} is", informant, rank);
  send_control(peers_[informant], control_header({}, Kind::where_is), as_prefix(Sought{rank}));
}

/// Who has asked may have ended meanwhile; that is nothing to the call which happens to make this progress.
void Engine::where_is_arrived(int asker, Sought sought) {
  if (census_ == nullptr) return;
  try {
    const std::vector<std::byte> address = census_->address(static_cast<int>(sought.rank));
    if (!address.empty()) send_control(peers_[asker], control_header({}, Kind::address), as_prefix(sought), address);
  } catch (const Error& error) {
    log::info("rank {} is not told where rank {} is: {}", asker, sought.rank, error.what());
  }
}

void Engine::address_arrived(Sought sought, std::span<const std::byte> address) {
  if (census_ != nullptr) census_->learned(static_cast<int>(sought.rank), address);
}

/// Calls `action` with what every receive and probe waits for.
template <class Action>
void Engine::for_each_waiting(Action action) {
  const auto each = [&](const ReceiveRequest& receive) {
    action(Match{receive.context, receive.source, receive.tag});
    return false;
  };
  for (const auto& queue : queues_) {
    if (queue != nullptr) queue->posted.all().find(each);
  }
  probes_.find([&](const WaitingProbe& probe) { return action(probe.match), false; });
  partitioned_->for_each_waiting(action);
}

bool Engine::nothing_arrives() {
  for (int polls = 0; polls < polls_at_most; ++polls) {
    unsigned events = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
    if (events == 0) return true;
  }
  return false;
}

void Engine::give_up(Peer& peer) {
  const bool found_now = !std::exchange(peer.given_up, true);
  std::string loss = peer.endpoint->loss();
  if (loss.empty()) loss = "has ended";
  fail_sends(peer, {ErrorClass::proc_aborted,
                    fmt::format("rank {} {}, and messages to it are not received any more", peer.rank, loss)});
  const Error silence(ErrorClass::proc_aborted,
                      fmt::format("rank {} {}, and nothing that it has not sent will come", peer.rank, loss));
  fail_receives(peer, silence, found_now);
  if (found_now && census_ != nullptr) {
    census_->lost(peer.rank, {ErrorClass::proc_aborted, fmt::format("rank {} {}", peer.rank, loss)});
  }
}

void Engine::fail_sends(Peer& peer, const Error& error) {
  while (!peer.controls.empty()) control_pool_.destroy(&peer.controls.pop_front());
  List<SendRequest> doomed;
  doomed.append(peer.unanswered);
  for (const auto& hold : peer.holds) doomed.append(hold->sends);
  doomed.append(peer.sends);
  if (peer.waiting()) List<Peer>::remove(peer);
  while (!doomed.empty()) {
    SendRequest& send = doomed.pop_front();
    fail(send, error);
    end_stream(send);
  }
  partitioned_->lost(peer, error);
}

/// `found_now`: receives from any source have not heard of this loss yet.
void Engine::fail_receives(Peer& peer, const Error& error, bool found_now) {
  while (!peer.receiving.empty()) {
    ReceiveRequest& receive = peer.receiving.front();
    conceal(receive, *peer.endpoint);
    fail(receive, error);
    long_message_received(receive);
  }
  if (census_ == nullptr) return;
  const auto doomed = [&](std::uint32_t context, int source) {
    if (source != any_source) return source == census_->source(context, peer.rank);
    const auto given_up = [](const Peer& each) { return each.given_up; };
    return census_->source(context, peer.rank) >= 0 && (found_now || is_last(context, given_up));
  };
  for (std::size_t slot = 0; slot < queues_.size(); ++slot) {  // by index: what a failed receive ends may add queues
    if (queues_[slot] == nullptr) continue;
    PostedQueue& posted = queues_[slot]->posted;
    const auto is_doomed = [&](const ReceiveRequest& each) { return doomed(each.context, each.source); };
    while (ReceiveRequest* const receive = posted.all().find(is_doomed)) {
      posted.remove(*receive);
      fail(*receive, error);
      complete(*receive);
    }
  }
  probes_.find([&](WaitingProbe& probe) {
    if (doomed(probe.match.context, probe.match.source)) probe.failure = std::make_unique<Error>(error);
    return false;
  });
  partitioned_->fail_receives(
      [&](int origin, const Match& match) { return origin == peer.rank || doomed(match.context, match.source); },
      error);
}

}  // namespace bowline::proto
