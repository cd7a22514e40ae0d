// SPDX-License-Identifier: BSD-3-Clause
// Processes that have ended: what waits for one of them fails, so that no call waits for ever. Nobody signals such an
// end, so it is asked for, and rarely: when flushing has moved nothing for long, and when waiting calls have rested for
// long.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "proto/engine.hpp"
#include "proto/partitioned.hpp"

namespace bowline::proto {
namespace {

constexpr unsigned rests_per_doubt = 4096;
constexpr unsigned rests_in_a_sleep = 1024;  // a sleep is long
// Polls that take in everything that a peer can have sent before it ended, unless others send all the time.
constexpr int polls_at_most = 1000;

bool expects_something(Peer& peer) noexcept {
  const auto holds_back = [](const auto& hold) { return !hold->sends.empty(); };
  return peer.waiting() || !peer.unanswered.empty() || std::ranges::any_of(peer.holds, holds_back);
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
  std::vector<Peer*> lost;
  peers_.for_each([&](Peer& peer) {
    if ((expects_something(peer) || partitioned_->awaits(peer)) && peer.endpoint->lost()) lost.push_back(&peer);
  });
  // An answer may have been sent before the end: it counts, and must not come to a send that has failed.
  if (lost.empty() || !nothing_arrives()) return;
  for (Peer* const peer : lost) fail_sends(*peer);
}

bool Engine::nothing_arrives() {
  for (int polls = 0; polls < polls_at_most; ++polls) {
    unsigned events = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
    if (events == 0) return true;
  }
  return false;
}

void Engine::fail_sends(Peer& peer) {
  const std::string loss = peer.endpoint->loss();
  const Error error(ErrorClass::proc_aborted, fmt::format("rank {} {}, and messages to it are not received any more",
                                                          peer.rank, loss.empty() ? "has ended" : loss));
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

}  // namespace bowline::proto
