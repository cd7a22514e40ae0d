// SPDX-License-Identifier: BSD-3-Clause
#include "proto/liveness/interruptions.hpp"

#include "proto/context.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

void Interruptions::interrupt(std::uint32_t context, const Failure& why) {
  if (of(context) != nullptr) return;
  engine_.services().for_each([&](Service& service) { service.interrupted(context, why); });
  interrupted_.emplace_back(context, why);  // before sends fail, whose observers may send again
  ever_ = true;
  engine_.peers().for_each([&](Peer& peer) {
    fail_sends(peer, context, why);
    fail_filled(peer, context, why);
  });
  engine_.coroutines().for_each_watch([&](Watch& watch) { fail_if_interrupted(watch); });
  if (ProcessDirectory* const directory = engine_.liveness().directory()) directory->interrupted(context, why);
}

Failure Interruptions::find(std::uint32_t context) const noexcept {
  for (const auto& [interrupted, why] : interrupted_) {
    if (of_one_communicator(interrupted, context)) return why;
  }
  return {};
}

void Interruptions::forget(std::uint32_t context) noexcept {
  std::erase_if(interrupted_, [context](const auto& each) { return of_one_communicator(each.first, context); });
}

void Interruptions::fail_sends(Peer& peer, std::uint32_t context, const Failure& why) noexcept {
  List<SendRequest> doomed;
  Outbox::take_sends(
      peer, [context](const SendRequest& send) { return of_one_communicator(send.header.context, context); }, doomed);
  while (!doomed.empty()) {
    SendRequest& send = doomed.pop_front();
    send.fail(why);
    engine_.outbox().end(send);
  }
}

/// Fails the receives into which messages of this peer are arriving.
void Interruptions::fail_filled(Peer& peer, std::uint32_t context, const Failure& why) noexcept {
  const auto is_of_it = [context](const ReceiveRequest& each) { return of_one_communicator(each.context, context); };
  while (ReceiveRequest* const receive = peer.receiving.find(is_of_it)) {
    engine_.rendezvous().fail_filled(*receive, peer, why);
  }
}

/// The next round of progress resumes the coroutine of the watch.
void Interruptions::fail_if_interrupted(Watch& watch) const noexcept {
  if (watch.sharers != nullptr && watch.failure == nullptr) watch.failure = find(watch.sharers->context());
}

}  // namespace bowline::proto
