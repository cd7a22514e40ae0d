// SPDX-License-Identifier: BSD-3-Clause
// Flow control: when a receiver restrains its senders, and how a restrained sender behaves.
#include "proto/flow.hpp"

#include <algorithm>
#include <exception>

#include "base/counter.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

Counter restrained_senders{"restrained_senders",
                           "times that a sender was told to announce everything, or to hold its messages"};

transport::Header order(Kind kind, std::uint32_t context = 0) noexcept {
  return {.context = context, .kind = static_cast<std::uint8_t>(kind)};
}

}  // namespace

bool FlowControl::note_announcing(int peer) {
  if (std::ranges::find(announcing_, peer) != announcing_.end()) return false;
  announcing_.push_back(peer);
  return true;
}

FlowControl::Hold* FlowControl::find_hold(int peer, transport::Header envelope) noexcept {
  const auto found = std::ranges::find_if(holds_, [&](const Hold& hold) {
    return hold.peer == peer && hold.envelope.context == envelope.context && hold.envelope.source == envelope.source;
  });
  return found == holds_.end() ? nullptr : &*found;
}

bool FlowControl::note_hold(int peer, transport::Header envelope) {
  if (find_hold(peer, envelope) != nullptr) return false;
  holds_.push_back({peer, envelope, 0});
  return true;
}

void FlowControl::note_arrival(int peer, transport::Header envelope) noexcept {
  Hold* const hold = find_hold(peer, envelope);
  if (hold != nullptr && hold->granted > 0) --hold->granted;
}

// ---- the receiver

void Engine::add_unexpected(Unexpected& message, MatchQueue& messages) noexcept {
  messages.unexpected.add(message);
  flow_.charge(message.footprint());
  if (!flow_.wants_announcements()) [[likely]]
    return;
  try {
    restrain(message);
  } catch (const std::exception&) {
    // The sender cannot be reached. The next unexpected message retries; this message is kept.
  }
}

/// Frees a message that was removed from its queue.
void Engine::discard(Unexpected& message) noexcept {
  flow_.refund(message.footprint());
  message.mark = 0;
  unexpected_pool_.destroy(&message);
  if (flow_.restrains() && flow_.relaxed()) [[unlikely]]
    relax();
}

void Engine::restrain(const Unexpected& message) {
  Peer& sender = peers_[message.origin];
  if (flow_.note_announcing(sender.rank)) {
    restrained_senders.add();
    send_control(sender, order(Kind::announce_all), {});
  }
  // Collective messages are never held: their number is bounded by what their receiver requests sooner or later.
  const std::uint32_t context = message.header.context;
  if (flow_.wants_nothing() && context == with_purpose(context, Purpose::point_to_point) &&
      flow_.note_hold(sender.rank, message.header)) {
    restrained_senders.add();
    send_control(sender, order(Kind::hold, context), {});
  }
}

void Engine::relax() noexcept {
  // Resume first: held messages must be back in their queue before new messages may bypass it.
  for (FlowControl::Hold& hold : flow_.holds()) {
    lift(hold, all_messages);
  }
  for (const int rank : flow_.announcing()) send_control(*peers_.known(rank), order(Kind::announce_long), {});
  flow_.announcing().clear();
  flow_.holds().clear();
}

void Engine::lift(FlowControl::Hold& hold, std::uint64_t messages) noexcept {
  hold.granted = messages;
  const Resume resume{.grant = messages};
  send_control(*peers_.known(hold.peer), order(Kind::resume, hold.envelope.context), as_prefix(resume));
}

/// Lifts the holds on messages that a posted receive may match.
void Engine::lift_needed_holds() noexcept {
  for (FlowControl::Hold& hold : flow_.holds()) {
    MatchQueue* const messages = hold.granted > 0 ? nullptr : known_queue(hold.envelope.context);
    if (messages == nullptr) continue;
    const ReceiveRequest* const waiting = messages->posted.all().find([&](const ReceiveRequest& receive) {
      return receive.source == hold.envelope.source || receive.source == any_source;
    });
    if (waiting != nullptr) lift(hold, FlowControl::grant);
  }
}

/// Lifts the holds on messages that this probe may match.
void Engine::lift_holds(Match match) {
  for (FlowControl::Hold& hold : flow_.holds()) {
    if (hold.granted == 0 && hold.envelope.context == match.context &&
        (match.source == hold.envelope.source || match.source == any_source)) {
      lift(hold, FlowControl::grant);
    }
  }
}

// ---- the sender

void Engine::hold_arrived(Peer& peer, std::uint32_t context) {
  check_context(peer.rank, context);
  if (peer.held(context) == nullptr) peer.holds.push_back(std::make_unique<HeldContext>(context));
}

void Engine::resume_arrived(Peer& peer, std::uint32_t context, std::uint64_t grant) {
  HeldContext* const hold = peer.held(context);
  if (hold == nullptr) return;
  // Held sends go to the front. They are older than the waiting sends of the same context, which were started while the
  // context was held.
  List<SendRequest> resumed;
  for (std::uint64_t i = 0; i < grant && !hold->sends.empty(); ++i) resumed.push_back(hold->sends.pop_front());
  if (!resumed.empty() && !peer.waiting()) waiting_peers_.push_back(peer);
  resumed.append(peer.sends);
  peer.sends.append(resumed);
  if (grant != all_messages) {
    hold->allowance += grant;
  } else {
    std::erase_if(peer.holds, [&](const auto& each) { return each.get() == hold; });
  }
}

}  // namespace bowline::proto
