// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/deliveries.hpp"

#include <algorithm>
#include <utility>

namespace bowline::comm {

void Deliveries::send(int process, proto::Kind kind, std::span<const std::byte> prefix,
                      std::span<const std::byte> body) {
  deliver(
      {.process = process, .prefix = {prefix.begin(), prefix.end()}, .body = {body.begin(), body.end()}, .kind = kind});
}

void Deliveries::deliver(Message message) {
  const bool waits =
      std::ranges::any_of(waiting_, [&](const Message& each) { return each.process == message.process; });
  if (!waits && try_to_deliver(message)) return;
  waiting_.push_back(std::move(message));
  if (!std::exchange(retrying_, true)) retry(*this);
}

/// Whether nothing is left to do for this message.
bool Deliveries::try_to_deliver(const Message& message) {
  if (engine_.liveness().has_failed(message.process)) return true;
  try {
    proto::Peer& peer = engine_.peer(message.process);
    service_.tell(peer, message.kind, {}, message.prefix, message.body);
  } catch (const transport::NotYet&) {
    return false;
  } catch (...) {
    engine_.liveness().break_off(message.process, Failure::current());
  }
  return true;
}

Background Deliveries::retry(Deliveries& self) {
  while (!self.waiting_.empty()) {
    co_await self.engine_.loop().next_round();
    std::deque<Message> waiting;
    waiting.swap(self.waiting_);
    for (Message& each : waiting) {
      const bool in_order =
          std::ranges::none_of(self.waiting_, [&](const Message& before) { return before.process == each.process; });
      if (!in_order || !self.try_to_deliver(each)) self.waiting_.push_back(std::move(each));
    }
  }
  self.retrying_ = false;
}

}  // namespace bowline::comm
