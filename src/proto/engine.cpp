// SPDX-License-Identifier: BSD-3-Clause
// Progress, and the end of operations.
#include "proto/engine.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/counter.hpp"
#include "base/tunable.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> eager_limit{"eager_limit", 8 << 10, 0, 1 << 20,
                                 "longest message sent before its receiver asks for it, in bytes"};

// Long enough to cost nothing, short enough that a lost wake-up would show as slowness and not as a hang. With several
// threads another one may end the operation that the sleeper waits for, and does not wake it.
constexpr int sleep_milliseconds = 100;
constexpr int sleep_milliseconds_threaded = 1;

}  // namespace

constinit CompletedSend the_completed_send;

Engine::Engine(int world_size, Connect connect, const WaitPolicy& policy, OwnerLock& lock)
    : peers_(world_size,
             [connect = std::move(connect)](int rank) {
               auto endpoint = connect(rank);
               const std::size_t limit = std::min(eager_limit.value(), endpoint->limits().max_body);
               return std::make_unique<Peer>(rank, std::move(endpoint), limit);
             }),
      policy_(policy),
      lock_(lock) {}

Engine::~Engine() {
  for (auto& queue : queues_) {
    if (queue == nullptr) continue;
    while (!queue->unexpected().empty()) unexpected_pool_.destroy(&queue->unexpected().pop_front());
  }
}

void Engine::add_device(transport::Device& device) {
  devices_.push_back(&device);
  if (device.can_sleep()) sleepers_.push_back(&device);
}

MatchQueue& Engine::new_queue(std::uint32_t context) {
  if (context >= queues_.size()) queues_.resize(context + 1);
  queues_[context] = std::make_unique<MatchQueue>();
  return *queues_[context];
}

// ---- progress

unsigned Engine::progress() {
  unsigned events = 0;
  for (transport::Device* device : devices_) events += device->poll(*this);
  if (!waiting_peers_.empty()) [[unlikely]]
    flush_waiting();
  if (!ready_.empty()) {
    resume_ready();
    ++events;
  }
  return events;
}

void Engine::arrived(int peer, const transport::Header& header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body) {
  switch (static_cast<Kind>(header.kind)) {
    case Kind::eager:
      return eager_arrived(header, body);
    case Kind::ready_to_send:
      return offer_arrived(peer, header, read_prefix<ReadyToSend>(prefix));
    case Kind::finished:
      return complete(*reinterpret_cast<SendRequest*>(read_prefix<Finished>(prefix).send_id));
    case Kind::clear_to_send:
      return clear_to_send_arrived(read_prefix<ClearToSend>(prefix));
    case Kind::data:
      return data_arrived(read_prefix<Data>(prefix), body);
  }
}

void Engine::resume_ready() {
  // A resumed coroutine may end operations that make others ready: those wait for the next round.
  const std::vector<std::coroutine_handle<>> now = std::exchange(ready_, {});
  for (const auto handle : now) handle.resume();
}

void Engine::rest(Rest kind) {
  if (lock_.enabled()) [[unlikely]]
    lock_.pass();
  switch (kind) {
    case Rest::spin:
      return cpu_relax();
    case Rest::yield:
      sched_yield();
      return;
    case Rest::sleep: {
      // Room at a peer is not signalled, and only one device can be slept on.
      if (!waiting_peers_.empty() || sleepers_.size() != 1 || lock_.nested()) {
        sched_yield();
        return;
      }
      const bool threaded = lock_.enabled();
      lock_.release();
      sleepers_.front()->sleep(threaded ? sleep_milliseconds_threaded : sleep_milliseconds);
      lock_.acquire();
    }
  }
}

void Engine::drain() {
  wait_until([&] { return active_sends_ == 0 && waiting_peers_.empty(); });
}

// ---- the end of operations

void Engine::complete(Request& request) noexcept {
  request.done = true;
  if (request.role == Request::Role::send) --active_sends_;
  if (request.waiter) ready_.push_back(std::exchange(request.waiter, nullptr));
  if (request.detached) recycle(request);
}

/// Notes why the operation failed; of several reasons the first.
void Engine::fail(Request& request, const Error& error) {
  if (request.failure != nullptr) return;
  request.status.error = error.error_class();
  request.failure = std::make_unique<Error>(error);
}

/// Ends a receive whose data are stored. `message` tells of the whole message, of which the buffer may hold a part. A
/// copy, because callers may give the receive's own status, which is changed here.
void Engine::finish_receive(ReceiveRequest& receive, Status message) {
  const std::size_t room = receive.buffer.bytes();
  receive.status = message;
  if (message.bytes > room) [[unlikely]] {
    receive.status.bytes = room;
    fail(receive,
         Error(ErrorClass::truncate,
               fmt::format("the message from rank {} with tag {} has {} bytes, but the receive buffer ends after "
                           "{} ({} x {})",
                           message.source, message.tag, message.bytes, room, receive.buffer.count,
                           receive.buffer.type->name())));
  }
  complete(receive);
}

void Engine::release(Request& request) noexcept {
  if (request.shared) return;
  if (request.done) {
    recycle(request);
  } else {
    request.detached = true;
  }
}

void Engine::recycle(Request& request) noexcept {
  request.mark = 0;
  if (request.role == Request::Role::send) {
    send_pool_.destroy(static_cast<SendRequest*>(&request));
  } else {
    receive_pool_.destroy(static_cast<ReceiveRequest*>(&request));
  }
}

}  // namespace bowline::proto
