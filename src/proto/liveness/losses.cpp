// SPDX-License-Identifier: BSD-3-Clause
// What fails when a process is lost: its sends, receives and probes, the operations of services, and the watches on its
// words.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "base/process_id.hpp"
#include "proto/engine.hpp"
#include "proto/liveness/liveness.hpp"

namespace bowline::proto {
/// Empty if it is not known.
std::string Liveness::how_it_ended(const Peer& peer) const {
  const std::string how = peer.endpoint->loss();
  return how.empty() && !peer.has_left() && directory_ != nullptr ? directory_->loss(peer.rank) : how;
}

/// Fails all operations that wait for this peer.
void Liveness::fail_operations(Peer& peer) noexcept {
  const bool found_now = !std::exchange(peer.failed, true);
  any_failed_ = true;
  const bool has_left = peer.has_left();
  const auto loss = [&](const char* consequence) {
    if (peer.broken != nullptr) return peer.broken;
    return Failure::of([&] {
      const std::string how = peer.said != Farewell::none ? "" : how_it_ended(peer);
      const char* const otherwise = has_left ? "has called MPI_Finalize" : "has ended";
      return Error(has_left ? ErrorClass::proc_aborted : ErrorClass::proc_failed,
                   fmt::format("{} {}{}", process_name(peer.rank), how.empty() ? otherwise : how, consequence),
                   engine_.rank_in_job(peer.rank));
    });
  };
  const Failure deafness = loss(", and messages to it are not received any more");
  const bool unheard = fail_sends(peer, deafness);
  const Failure silence = loss(", and nothing that it has not sent will come");
  fail_receives(peer, silence);
  fail_watches(peer, silence);
  if (directory_ != nullptr && unheard) {
    directory_->lost(peer.rank, *deafness);
  } else if (directory_ != nullptr && found_now && !has_left && !engine_.farewells().is_parting_from(peer.rank)) {
    directory_->lost(peer.rank, *loss(""));
  }
  if (found_now && !has_left && peer_lost.heard()) peer_lost.tell({peer.rank});
  // Last: waiting calls of all lanes now ask the directory.
  if (found_now && !has_left) loss_count.fetch_add(1, std::memory_order_release);
}

bool Liveness::fail_sends(Peer& peer, const Failure& why) noexcept {
  const bool has_left = peer.has_left();
  const bool returns = may_return(peer);
  bool unheard = false;
  // A peer may still receive the notification that this process has closed the connection to it.
  if ((has_left && !returns) || peer.endpoint->lost()) engine_.outbox().drop_controls(peer);
  List<SendRequest> doomed;
  Outbox::take_sends(
      peer, [&](const SendRequest& send) { return !goes_on(peer, send.header.context); }, doomed);
  while (!doomed.empty()) {
    SendRequest& send = doomed.pop_front();
    if (send.asked_back &&
        has_left) {  // the request to cancel was not answered because no receive had matched the send
      send.status.cancelled = true;
    } else {
      send.fail(why);
      unheard = unheard || send.detached || unattended_;
    }
    engine_.outbox().end(send);
  }
  if (!returns) engine_.services().for_each([&](Service& service) { service.unheard(peer, why); });
  return unheard;
}

/// Fails the receives, probes and service operations that wait for this peer.
void Liveness::fail_receives(Peer& peer, const Failure& why) noexcept {
  const auto ends = [&](const ReceiveRequest& each) { return !goes_on(peer, each.context); };
  while (ReceiveRequest* const receive = peer.receiving.find(ends)) {
    engine_.rendezvous().fail_filled(*receive, peer, why);
  }
  if (directory_ == nullptr) return;
  const auto doomed = [&](int origin, const Match& match) {
    if (goes_on(peer, match.context)) return false;
    return origin >= 0 ? origin == peer.rank : is_doomed(peer, match);
  };
  engine_.services().for_each([&](Service& service) { service.unanswered(std::ref(doomed), why); });
}

/// Whether no message can match any more, because this peer is lost. A receive from any source goes on until the
/// program has acknowledged the losses of all its senders: until then the calls that wait for it return (pends()).
bool Liveness::is_doomed(const Peer& peer, const Match& match) {
  const int source = directory_->source(match.context, peer.rank);
  if (match.source != any_source) return match.source == source;
  const auto failed = [&](const Peer& each) { return each.failed && !goes_on(each, match.context); };
  return source >= 0 && is_last(match.context, failed) && directory_->unacknowledged(match.context) < 0;
}

bool Liveness::pends(const Match& match) const {
  return losses() > 0 && match.source == any_source && directory_ != nullptr &&
         directory_->unacknowledged(match.context) >= 0;
}

bool Liveness::pends(const Request& request) const {
  if (losses() == 0 || request.done) return false;
  const Request* const part = request.role == Request::Role::special
                                  ? static_cast<const SpecialRequest&>(request).receive_under_way()
                                  : &request;
  if (part == nullptr || part->role != Request::Role::receive) return false;
  const auto& receive = static_cast<const ReceiveRequest&>(*part);
  return receive.linked() && pends(Match{receive.context, receive.source, receive.tag});
}

Error Liveness::pending_error(std::uint32_t context, ErrorClass error_class) const {
  const int process = directory_ == nullptr ? -1 : directory_->unacknowledged(context);
  if (process < 0) return {error_class, "a possible sender has failed"};
  const Peer* const peer = engine_.peers().known(process);
  const std::string how =
      peer != nullptr && peer->broken != nullptr ? peer->broken->what() : process_name(process) + " has failed";
  return {error_class,
          fmt::format("{}: it might have sent the message; receives from any source go on when the program has "
                      "acknowledged that with MPIX_Comm_ack_failed",
                      how),
          engine_.rank_in_job(process)};
}

/// Fails the watch if the operations of its peer have failed earlier and the peer has ended: the next round of progress
/// resumes its coroutine.
void Liveness::watch_lost(const Watch& watch) noexcept {
  const Peer* const peer = watch.rank() < 0 ? nullptr : engine_.peers().known(watch.rank());
  if (peer == nullptr || !peer->failed || !watch.lost()) return;
  fail_watches(*peer, Failure::of([&] {
    const std::string how = how_it_ended(*peer);
    return Error(ErrorClass::proc_failed,
                 fmt::format("{} {}, and nothing that it has not sent will come", process_name(peer->rank),
                             how.empty() ? "has ended" : how),
                 engine_.rank_in_job(peer->rank));
  }));
}

/// Fails the watches on words of this peer. All that it wrote before its end is visible, so a word that has not reached
/// its value never will. The next round of progress resumes the waiters.
void Liveness::fail_watches(const Peer& peer, const Failure& why) noexcept {
  engine_.coroutines().for_each_watch([&](Watch& each) {
    if (each.rank() == peer.rank && each.failure == nullptr && each.lost()) each.failure = why;
  });
}

/// Fails the watches on words that no process will advance any more. The next round of progress resumes their waiters.
void Liveness::fail_overtaken_watches() {
  engine_.coroutines().for_each_watch([](Watch& watch) {
    if (watch.sharers != nullptr && watch.failure == nullptr) watch.failure = watch.sharers->overtaken(watch);
  });
}

}  // namespace bowline::proto
