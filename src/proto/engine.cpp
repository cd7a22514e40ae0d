// SPDX-License-Identifier: BSD-3-Clause
// The engine's construction, its queues by context, and the completion of operations.
#include "proto/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/tunable.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> unexpected_budget{
    "unexpected_budget", 64 << 20, 64 << 10, std::size_t{1} << 40,
    "memory for messages that arrive before their receive, in bytes per process; senders wait beyond"};

// The queues and the heap get one in this many bytes of the budget, as measured with a flood of messages.
constexpr std::size_t overhead_divisor = 8;

// Initial capacity of `ready_`, in coroutines. It is above 0, so that `ready_` is not empty when a coroutine could not
// be added, and resume_ready() runs.
constexpr std::size_t ready_at_first = 16;

std::size_t budget() noexcept {
  return unexpected_budget.value() - unexpected_budget.value() / overhead_divisor;
}

}  // namespace

constinit CompletedRequest the_completed_request;

Engine::Engine(int ranks, Connect connect, const WaitPolicy& policy, OwnerLock& lock, Lanes* lanes)
    : peers_(ranks,
             [connect = std::move(connect)](int rank) {
               auto endpoint = connect(rank);
               return std::make_unique<Peer>(rank, endpoint != nullptr ? std::move(endpoint) : make_no_endpoint(true));
             }),
      flow_(budget()),
      policy_(policy),
      lock_(lock),
      lanes_(lanes),
      ranks_(ranks) {
  ready_.reserve(ready_at_first);
  spare_.reserve(ready_at_first);
}

Engine::~Engine() {
  for (auto* const queues : {&queues_, &strange_queues_}) {
    for (auto& queue : *queues) {
      if (queue == nullptr) continue;
      auto& left = queue->unexpected.all();
      while (!left.empty()) unexpected_pool_.destroy(&left.pop_front());
    }
  }
  peers_.for_each([this](Peer& peer) {
    while (!peer.controls.empty()) control_pool_.destroy(&peer.controls.pop_front());
  });
}

void Engine::share_budget(std::size_t lanes) noexcept {
  flow_.set_budget(budget() / lanes);
}

void Engine::add_device(transport::Device& device) {
  devices_.push_back(&device);
}

void Engine::grow_to(int processes, int self) {
  if (processes <= peers_.size()) return;
  for (transport::Device* const device : devices_) device->grow_to(processes, self);
  peers_.grow_to(processes);
}

/// Returns the queue of a context that this process uses. Any other context in the same slot belongs to a freed
/// communicator; its messages were late or never received and are dropped.
MatchQueue& Engine::own_queue(std::uint32_t context) {
  const std::size_t slot = slot_of(context);
  if (slot >= queues_.size()) queues_.resize(slot + 1);
  auto early = std::make_unique<MatchQueue>(context);
  if (queues_[slot] != nullptr) drop(queues_[slot]);
  for (auto& stranger : strange_queues_) {
    if (stranger->context == context) {
      std::swap(early, stranger);
    } else if (slot_of(stranger->context) == slot) {
      drop(stranger);
    }
  }
  std::erase_if(strange_queues_, [&](const auto& each) { return each == nullptr || each->context == context; });
  queues_[slot] = std::move(early);
  return *queues_[slot];
}

MatchQueue& Engine::strange_queue(int origin, std::uint32_t context) {
  check_context(origin, context);
  return with_memory([&]() -> MatchQueue& { return make_strange_queue(context); });
}

MatchQueue& Engine::make_strange_queue(std::uint32_t context) {
  const std::size_t slot = slot_of(context);
  if (slot >= queues_.size()) queues_.resize(slot + 1);
  if (queues_[slot] == nullptr) {
    queues_[slot] = std::make_unique<MatchQueue>(context);
    return *queues_[slot];
  }
  const auto known = std::ranges::find(strange_queues_, context, [](const auto& each) { return each->context; });
  if (known != strange_queues_.end()) return **known;
  return *strange_queues_.emplace_back(std::make_unique<MatchQueue>(context));
}

/// nullptr if there is none.
MatchQueue* Engine::known_queue(std::uint32_t context) noexcept {
  const std::size_t slot = slot_of(context);
  if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context)
    return queues_[slot].get();
  const auto known = std::ranges::find(strange_queues_, context, [](const auto& each) { return each->context; });
  return known == strange_queues_.end() ? nullptr : known->get();
}

/// Deletes the queue and the messages in it.
void Engine::drop(std::unique_ptr<MatchQueue>& queue) noexcept {
  auto& unexpected = queue->unexpected;
  while (!unexpected.empty()) {
    Unexpected& message = unexpected.all().front();
    unexpected.remove(message);
    discard(message);
  }
  queue.reset();
}

bool Engine::uses(std::uint32_t index) const noexcept {
  bool found = SpecialRequest::any_of(index);
  const auto look = [&](const Request& request) {
    found = found || (request.mark == Request::alive && index_of(request.context) == index);
  };
  send_pool_.each(look);
  receive_pool_.each(look);
  unexpected_pool_.each([&](const Unexpected& message) {
    found = found || (message.mark == Unexpected::taken && index_of(message.header.context) == index);
  });
  return found;
}

bool Engine::outstanding() const noexcept {
  bool found = active_sends_ != 0 || !waiting_peers_.empty() || !watches_.empty() || !ready_.empty() ||
               services_.any([](const Service& service) { return service.outstanding(); });
  if (!found) {
    receive_pool_.each([&](const Request& receive) {
      found = found || (receive.mark == Request::alive && receive.active && !receive.done);
    });
  }
  return found;
}

void Engine::forget(std::uint32_t context) noexcept {
  const std::size_t slot = slot_of(context);
  if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) drop(queues_[slot]);
  for (auto& stranger : strange_queues_) {
    if (stranger->context == context) drop(stranger);
  }
  std::erase(strange_queues_, nullptr);
  services_.for_each([context](Service& service) { service.forget(context); });
}

// ---- the end of operations

void Engine::complete(Request& request) noexcept {
  if (request.role == Request::Role::send) {
    --active_sends_;
    auto& send = static_cast<SendRequest&>(request);
    if (send.linked()) List<SendRequest>::remove(send);  // it is in its peer's list `unanswered`
    if (send.id != no_id) named_sends_.remove(std::exchange(send.id, no_id));
    deregister(send, *send.peer.endpoint);
    if (send.observer != nullptr) std::exchange(send.observer, nullptr)->send_ended(send.failure.get());
  }
  if (request.waiter) make_ready(request);
  const bool detached = request.detached;
  request.done = true;
  if (detached) recycle(request);
  // A thread that waits for the request may sleep. The caller need not be progress(), which would wake it: MPI_Pready
  // and MPI_Cancel also complete requests.
  if (lock_.enabled() && lanes_ != nullptr) [[unlikely]]
    lanes_->wake_sleepers();
}

void Engine::fail(Request& request, const Failure& why) noexcept {
  if (request.failure != nullptr) return;
  request.status.error = why->error_class();
  request.failure = why;
}

void Engine::release(Request& request) noexcept {
  if (request.shared) return;
  if (request.done || !request.active) {
    recycle(request);
  } else {
    request.detached = true;
  }
}

void Engine::retire(Request& request) noexcept {
  if (request.persistent) {
    request.active = false;
  } else if (!request.shared) {
    recycle(request);
  }
}

void Engine::recycle(Request& request) noexcept {
  if (request.role == Request::Role::receive) return retire(static_cast<ReceiveRequest&>(request));
  request.mark = 0;
  switch (request.role) {
    case Request::Role::send:
      return send_pool_.destroy(static_cast<SendRequest*>(&request));
    case Request::Role::receive:
      break;
    case Request::Role::special:
      return static_cast<SpecialRequest&>(request).dispose();
  }
}

void Engine::start(Request& request) {
  request.status = {};
  request.failure.reset();
  request.active = true;
  request.done = false;
  switch (request.role) {
    case Request::Role::send:
      return begin(static_cast<SendRequest&>(request));
    case Request::Role::receive:
      static_cast<ReceiveRequest&>(request).process = -1;
      return begin(static_cast<ReceiveRequest&>(request));
    case Request::Role::special:
      return static_cast<SpecialRequest&>(request).start(*this);
  }
}

}  // namespace bowline::proto
