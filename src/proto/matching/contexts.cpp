// SPDX-License-Identifier: BSD-3-Clause
// The queues of each context: made when a communicator or its first message needs them, deleted with the communicator.
#include <algorithm>
#include <utility>

#include "proto/engine.hpp"
#include "proto/matching/matching.hpp"

namespace bowline::proto {

Matching::~Matching() {
  for (auto* const queues : {&queues_, &foreign_queues_}) {
    for (auto& queue : *queues) {
      if (queue == nullptr) continue;
      queue->accept();
      auto& left = queue->unexpected.all();
      while (!left.empty()) messages_.destroy(&left.pop_front());
    }
  }
}

/// Returns the queue of a context that this process uses. Any other context in the same slot belongs to a freed
/// communicator; its messages were late or never received and are dropped.
MatchQueue& Matching::own_queue(std::uint32_t context) {
  const std::size_t slot = slot_of(context);
  if (slot >= queues_.size()) queues_.resize(slot + 1);
  auto early = std::make_unique<MatchQueue>(context);
  if (queues_[slot] != nullptr) drop(queues_[slot]);
  for (auto& foreign : foreign_queues_) {
    if (foreign->context == context) {
      std::swap(early, foreign);
    } else if (slot_of(foreign->context) == slot) {
      drop(foreign);
    }
  }
  std::erase_if(foreign_queues_, [&](const auto& each) { return each == nullptr || each->context == context; });
  queues_[slot] = std::move(early);
  return *queues_[slot];
}

MatchQueue& Matching::foreign_queue(int origin, std::uint32_t context) {
  check_context(engine_, origin, context);
  return engine_.shortage().with_memory([&]() -> MatchQueue& { return make_foreign_queue(context); });
}

MatchQueue& Matching::make_foreign_queue(std::uint32_t context) {
  const std::size_t slot = slot_of(context);
  if (slot >= queues_.size()) queues_.resize(slot + 1);
  if (queues_[slot] == nullptr) {
    queues_[slot] = std::make_unique<MatchQueue>(context);
    return *queues_[slot];
  }
  const auto known = std::ranges::find(foreign_queues_, context, [](const auto& each) { return each->context; });
  if (known != foreign_queues_.end()) return **known;
  return *foreign_queues_.emplace_back(std::make_unique<MatchQueue>(context));
}

MatchQueue* Matching::known_queue(std::uint32_t context) noexcept {
  if (MatchQueue* const found = in_slot(context)) return found;
  const auto known = std::ranges::find(foreign_queues_, context, [](const auto& each) { return each->context; });
  return known == foreign_queues_.end() ? nullptr : known->get();
}

void Matching::for_each_queue(const std::function<void(MatchQueue&)>& action) {
  for (const auto* const list : {&queues_, &foreign_queues_}) {
    for (const auto& each : *list) {
      if (each != nullptr) action(*each);
    }
  }
}

/// Deletes the queue and the messages in it.
void Matching::drop(std::unique_ptr<MatchQueue>& queue) noexcept {
  queue->accept();
  drop_messages(*queue);
  queue.reset();
}

void Matching::drop_messages(MatchQueue& queue) noexcept {
  auto& unexpected = queue.unexpected;
  while (!unexpected.empty()) {
    Unexpected& message = unexpected.all().front();
    unexpected.remove(message);
    discard(message);
  }
}

void Matching::forget(std::uint32_t context) noexcept {
  if (in_slot(context) != nullptr) drop(queues_[slot_of(context)]);
  for (auto& foreign : foreign_queues_) {
    if (foreign->context == context) drop(foreign);
  }
  std::erase(foreign_queues_, nullptr);
}

void Matching::interrupted(std::uint32_t context, const Failure& why) {
  for (const Purpose purpose : {Purpose::point_to_point, Purpose::collective, Purpose::partitioned, Purpose::local}) {
    MatchQueue& messages = queue(with_purpose(context, purpose));
    if (messages.refuses()) continue;
    drop_messages(messages);
    List<ReceiveRequest> waiting;
    while (!messages.posted.all().empty()) {
      ReceiveRequest& receive = messages.posted.all().front();
      messages.posted.remove(receive);
      waiting.push_back(receive);
    }
    messages.refuse(why);
    while (!waiting.empty()) {
      ReceiveRequest& receive = waiting.pop_front();
      receive.fail(why);
      engine_.complete(receive);
    }
  }
  probes_.find([&](WaitingProbe& probe) {
    if (of_one_communicator(probe.match.context, context)) probe.failure = why;
    return false;
  });
}

bool Matching::holds_message_of(std::uint32_t index) const noexcept {
  return messages_.find([index](const Unexpected& message) {
    return message.mark == Unexpected::taken && index_of(message.header.context) == index;
  }) != nullptr;
}

// ---- lost peers

void Matching::for_each_waiting(const std::function<void(const Match&, int process)>& action) {
  const auto each = [&](const ReceiveRequest& receive) {
    action({receive.context, receive.source, receive.tag}, receive.process);
    return false;
  };
  for (const auto& queue : queues_) {
    if (queue != nullptr) queue->posted.all().find(each);
  }
  probes_.find([&](const WaitingProbe& probe) { return action(probe.match, -1), false; });
}

void Matching::unanswered(const Doomed& doomed, const Failure& why) noexcept {
  for (std::size_t slot = 0; slot < queues_.size(); ++slot) {  // by index: completing a failed receive may add queues
    if (queues_[slot] == nullptr) continue;
    PostedQueue& posted = queues_[slot]->posted;
    const auto is_doomed = [&](const ReceiveRequest& each) {
      return doomed(each.process, {each.context, each.source, each.tag});
    };
    while (ReceiveRequest* const receive = posted.all().find(is_doomed)) {
      posted.remove(*receive);
      receive->fail(why);
      engine_.complete(*receive);
    }
  }
  probes_.find([&](WaitingProbe& probe) {
    if (doomed(no_process, probe.match)) probe.failure = why;
    return false;
  });
}

}  // namespace bowline::proto
