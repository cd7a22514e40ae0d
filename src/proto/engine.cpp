// SPDX-License-Identifier: BSD-3-Clause
// The engine's construction, and the end of operations.
#include "proto/engine.hpp"

#include <utility>

#include "proto/lanes.hpp"

namespace bowline::proto {

constinit CompletedRequest the_completed_request;

Engine::Engine(int ranks, Connect connect, const WaitPolicy& policy, OwnerLock& lock, Lanes* lanes)
    : peers_(ranks,
             [connect = std::move(connect)](int rank) {
               auto endpoint = connect(rank);
               if (first_contact.heard()) first_contact.tell({rank});
               return std::make_unique<Peer>(rank, endpoint != nullptr ? std::move(endpoint) : make_no_endpoint(true));
             }),
      loop_(*this, *this, coroutines_, policy, lock, lanes),
      ranks_(ranks) {
  const std::initializer_list<Service*> parts{&matching_, &rendezvous_, &flow_, &cancelling_, &liveness_, &farewells_};
  for (Service* const part : parts) services_.add(*part);
}

Engine::~Engine() {
  peers_.for_each([this](Peer& peer) { outbox_.drop_controls(peer); });
}

void Engine::listeners_changed() noexcept {
  liveness_.choose_unchecked_kind();
  peers_.for_each([](Peer& peer) { peer.choose_ways(); });
}

void Engine::add_device(transport::Device& device) {
  if (peers_.size() > ranks_) device.grow_to(peers_.size());
  loop_.add(device);
}

void Engine::disconnect(int process) noexcept {
  Peer* const peer = peers_.known(process);
  if (peer == nullptr) return;
  outbox_.drop_controls(*peer);
  peer->forget_if_idle();
  peers_.forget(process);
}

void Engine::grow_to(int processes) {
  if (processes <= peers_.size()) return;
  for (transport::Device* const device : loop_.devices()) device->grow_to(processes);
  peers_.grow_to(processes);
}

bool Engine::uses(std::uint32_t index) const noexcept {
  const auto is_of_it = [index](const Request& request) {
    return request.mark == Request::alive && index_of(request.context) == index;
  };
  return SpecialRequest::any_of(index) || requests_.find(is_of_it) != nullptr || matching_.holds_message_of(index);
}

bool Engine::outstanding() const noexcept {
  bool found = requests_.any_send_pending() || outbox_.waits_for_room() || coroutines_.any() ||
               services_.any([](const Service& service) { return service.outstanding(); });
  if (!found) requests_.for_each_receive([&](const Request&) { found = true; });
  return found;
}

void Engine::forget(std::uint32_t context) noexcept {
  services_.for_each([context](Service& service) { service.forget(context); });
  interruptions_.forget(context);
}

// ---- what arrives

void Engine::arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body) {
  try {
    handle(peer, header, prefix, body);
  } catch (const transport::NotYet&) {
    throw;
  } catch (...) {
    liveness_.break_off(peer, Failure::current());
  }
}

/// Handles any message but an eager one.
void Engine::handle_other(int peer, transport::Header header, std::span<const std::byte> prefix,
                          std::span<const std::byte> body) {
  // The message may name requests that have failed and do not exist any more.
  if (liveness_.ignores(peer, header)) return;
  try {
    services_.handle(peers_.size(), peer, header, prefix, body);
  } catch (const Forgotten&) {  // the request that the message names has failed
  }
}

// ---- the end of operations

void Engine::complete(Request& request) noexcept {
  if (request.role == Request::Role::send) {
    auto& send = static_cast<SendRequest&>(request);
    requests_.send_ends();
    if (send.linked()) List<SendRequest>::remove(send);  // it is in its peer's list `unanswered`
    requests_.unname(send);
    deregister(send, *send.peer.endpoint);
    if (send.observer != nullptr) std::exchange(send.observer, nullptr)->send_ended(send.failure.get());
  }
  if (request.waiter) coroutines_.resume_waiter_of(request);
  const bool detached = request.detached;
  request.done = true;
  if (detached) recycle(request);
  // A thread that waits for the request may sleep. The caller need not be progress(), which would wake it: MPI_Pready
  // and MPI_Cancel also complete requests.
  if (lock().enabled()) [[unlikely]]
    loop_.wake_sleepers();
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
  switch (request.role) {
    case Request::Role::send:
      return requests_.recycle(static_cast<SendRequest&>(request));
    case Request::Role::receive:
      return requests_.recycle(static_cast<ReceiveRequest&>(request));
    case Request::Role::special:
      request.mark = 0;
      return static_cast<SpecialRequest&>(request).dispose();
  }
}

}  // namespace bowline::proto
