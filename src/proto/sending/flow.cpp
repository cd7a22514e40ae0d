// SPDX-License-Identifier: BSD-3-Clause
// When a receiver throttles its senders, and how a throttled sender behaves.
#include "proto/sending/flow.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "base/counter.hpp"
#include "base/tunable.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> unexpected_budget(
    Category::messages, "unexpected_budget", 64 << 20, 64 << 10, std::size_t{1} << 40,
    "memory for messages that arrive before their receive, in bytes per process; senders wait beyond");

Counter throttled_senders(Category::messages, "throttled_senders",
                          "times that a sender was told to announce everything, or to pause");

// The queues and the heap take a part of the budget: one byte in this many, as measured with a flood of messages.
constexpr std::size_t overhead_divisor = 8;

std::size_t budget() noexcept {
  return unexpected_budget.value() - unexpected_budget.value() / overhead_divisor;
}

}  // namespace

std::span<const MessageKind> FlowControl::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{
          Kind::announce_all, {"announce_all", 0, 0, false}, &call<FlowControl, &FlowControl::announce_all_arrived>},
      MessageKind{
          Kind::announce_long, {"announce_long", 0, 0, false}, &call<FlowControl, &FlowControl::announce_long_arrived>},
      MessageKind{Kind::pause, {"pause", 0, 0, true}, &call<FlowControl, &FlowControl::pause_arrived>},
      MessageKind{Kind::resume, {"resume", sizeof(Resume), 0, true}, &call<FlowControl, &FlowControl::resume_arrived>},
  };
  return kinds;
}

FlowControl::FlowControl(Engine& engine) noexcept : Service(engine, message_kinds()), budget_(budget()) {}

void FlowControl::share_budget(std::size_t lanes) noexcept {
  budget_ = budget() / lanes;
}

// ---- the receiver

FlowControl::PausedSender* FlowControl::find_paused(int peer, transport::Header envelope) noexcept {
  const auto found = std::ranges::find_if(paused_, [&](const PausedSender& paused) {
    return paused.peer == peer && paused.envelope.context == envelope.context &&
           paused.envelope.source == envelope.source;
  });
  return found == paused_.end() ? nullptr : &*found;
}

void FlowControl::note_arrival(int peer, transport::Header envelope) noexcept {
  PausedSender* const paused = find_paused(peer, envelope);
  if (paused != nullptr && paused->granted > 0) --paused->granted;
}

void FlowControl::charge(const Unexpected& message) noexcept {
  charged_ += message.footprint();
  if (charged_ <= budget_ / 2) [[likely]]
    return;
  try {
    throttle(message);
  } catch (const std::exception&) {
    // The sender cannot be reached. The next unexpected message retries; this message is kept.
  }
}

void FlowControl::throttle(const Unexpected& message) {
  Peer& sender = engine_.peer(message.origin);
  if (std::ranges::find(announcing_, sender.rank) == announcing_.end()) {
    announcing_.push_back(sender.rank);
    throttled_senders.add();
    tell(sender, Kind::announce_all, {}, {});
  }
  // Collective messages are never paused: their number is bounded by what their receiver requests sooner or later.
  const std::uint32_t context = message.header.context;
  const bool wants_nothing = charged_ > budget_ / 4 * 3;
  if (!wants_nothing || context != with_purpose(context, Purpose::point_to_point)) return;
  if (find_paused(sender.rank, message.header) != nullptr) return;
  paused_.push_back({sender.rank, message.header, 0});
  throttled_senders.add();
  tell(sender, Kind::pause, {.context = context}, {});
}

/// Revokes all orders.
void FlowControl::end_throttling() noexcept {
  // Resume first: waiting messages must be back in their queue before new messages may bypass it.
  for (PausedSender& paused : paused_) resume(paused, all_messages);
  for (const int rank : announcing_) tell(*engine_.peers().known(rank), Kind::announce_long, {}, {});
  announcing_.clear();
  paused_.clear();
}

void FlowControl::resume(PausedSender& sender, std::uint64_t messages) noexcept {
  sender.granted = messages;
  const Resume resume{.grant = messages};
  tell(*engine_.peers().known(sender.peer), Kind::resume, {.context = sender.envelope.context}, as_prefix(resume));
}

void FlowControl::resume_needed() noexcept {
  for (PausedSender& paused : paused_) {
    MatchQueue* const messages = paused.granted > 0 ? nullptr : engine_.matching().known_queue(paused.envelope.context);
    if (messages == nullptr) continue;
    const ReceiveRequest* const waiting = messages->posted.all().find([&](const ReceiveRequest& receive) {
      return receive.source == paused.envelope.source || receive.source == any_source;
    });
    if (waiting != nullptr) resume(paused, grant);
  }
}

void FlowControl::resume_for(Match match) noexcept {
  for (PausedSender& paused : paused_) {
    if (paused.granted == 0 && paused.envelope.context == match.context &&
        (match.source == paused.envelope.source || match.source == any_source)) {
      resume(paused, grant);
    }
  }
}

// ---- the sender

void FlowControl::announce_all_arrived(const Arrival& message) {
  engine_.peer(message.origin).announce_all(true);
}

void FlowControl::announce_long_arrived(const Arrival& message) {
  engine_.peer(message.origin).announce_all(false);
}

void FlowControl::pause_arrived(const Arrival& message) {
  const std::uint32_t context = message.header.context;
  Peer& peer = engine_.peer(message.origin);
  check_context(engine_, message.origin, context);
  if (peer.paused(context) == nullptr) peer.paused_contexts.push_back(std::make_unique<PausedContext>(context));
}

void FlowControl::resume_arrived(const Arrival& message) {
  const std::uint64_t messages = message.read<Resume>().grant;
  Peer& peer = engine_.peer(message.origin);
  PausedContext* const paused = peer.paused(message.header.context);
  if (paused == nullptr) return;
  // Sends of the paused context go to the front. They are older than the waiting sends of the same context, which were
  // started while the context was paused.
  List<SendRequest> resumed;
  for (std::uint64_t i = 0; i < messages && !paused->sends.empty(); ++i) resumed.push_back(paused->sends.pop_front());
  engine_.outbox().put_first(peer, resumed);
  if (messages != all_messages) {
    paused->allowance += messages;
  } else {
    std::erase_if(peer.paused_contexts, [&](const auto& each) { return each.get() == paused; });
  }
}

}  // namespace bowline::proto
