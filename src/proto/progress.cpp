// SPDX-License-Identifier: BSD-3-Clause
// Progress: polling, dispatching what arrives, and waiting.
#include <algorithm>
#include <utility>

#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/partitioned.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::proto {

unsigned Engine::progress() {
  sends_since_progress_ = 0;
  unsigned events = 0;
  // By index: first contact with a peer may add a device.
  for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
  if (!waiting_peers_.empty() || !ready_.empty() || !watches_.empty() || flow_.restrains()) [[unlikely]]
    events += progress_rare();
  if (events != 0 && lock_.enabled() && lanes_ != nullptr) [[unlikely]]
    lanes_->wake_sleepers();
  return events;
}

unsigned Engine::progress_rare() {
  if (!waiting_peers_.empty()) flush_waiting();
  if (flow_.restrains()) lift_needed_holds();
  if (!watches_.empty()) look_at_watches();
  if (ready_.empty()) return 0;
  resume_ready();
  return 1;
}

void Engine::arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body) {
  if (static_cast<Kind>(header.kind) == Kind::eager) [[likely]]
    return eager_arrived(peer, header, body);
  control_arrived(peer, header, prefix, body);
}

void Engine::control_arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                             std::span<const std::byte> body) {
  const auto send_of = [&] { return reinterpret_cast<SendRequest*>(read_prefix<SendId>(prefix).send_id); };
  // What it says about requests may be about those that have failed, and do not exist any more.
  const Peer* const known = peers_.known(peer);
  if (known != nullptr && known->given_up) return;
  switch (static_cast<Kind>(header.kind)) {
    case Kind::eager:
      return eager_arrived(peer, header, body);
    case Kind::eager_synchronous:
      return synchronous_arrived(peer, header, read_prefix<SendId>(prefix).send_id, body);
    case Kind::ready_to_send:
      return offer_arrived(peer, header, read_prefix<ReadyToSend>(prefix), body);
    case Kind::finished:
      return complete(*send_of());
    case Kind::clear_to_send:
      return clear_to_send_arrived(read_prefix<ClearToSend>(prefix));
    case Kind::clear_to_put:
      return clear_to_put_arrived(read_prefix<ClearToPut>(prefix), body);
    case Kind::data:
      return data_arrived(read_prefix<Data>(prefix), body);
    case Kind::placed:
      return placed_arrived(peer, header, read_prefix<Placed>(prefix));
    case Kind::cancel:
      return cancel_arrived(peer, header, read_prefix<SendId>(prefix).send_id);
    case Kind::cancelled:
      send_of()->status.cancelled = true;
      return complete(*send_of());
    case Kind::announce_all:
      return peers_[peer].announce_all(true);
    case Kind::announce_long:
      return peers_[peer].announce_all(false);
    case Kind::hold:
      return hold_arrived(peers_[peer], header.context);
    case Kind::resume:
      return resume_arrived(peers_[peer], header.context, read_prefix<Resume>(prefix).grant);
    case Kind::where_is:
      return where_is_arrived(peer, read_prefix<Sought>(prefix));
    case Kind::address:
      return address_arrived(read_prefix<Sought>(prefix), body);
    case Kind::partitioned_offer:
    case Kind::partitioned_ready:
    case Kind::partitioned_data:
      return partitioned_arrived(*this, peer, header, prefix, body);
  }
}

void Engine::look_at_watches() {
  while (Watch* const watch = watches_.find([](const Watch& each) { return each.reached(); })) {
    List<Watch>::remove(*watch);
    watch->notice.take_down();  // a thread that sleeps for it still is woken by whoever makes this progress
    ready_.push_back(watch->waiter);
  }
}

void Engine::put_up_notices() noexcept {
  watches_.find([](const Watch& each) { return each.notice.put_up(), false; });
}

void Engine::take_down_notices() noexcept {
  watches_.find([](const Watch& each) { return each.notice.take_down(), false; });
}

void Engine::resume_ready() {
  // A resumed coroutine may end operations that make others ready: those wait for the next round.
  std::vector<std::coroutine_handle<>> now = std::exchange(ready_, std::exchange(spare_, {}));
  for (const auto handle : now) handle.resume();
  now.clear();
  if (now.capacity() > spare_.capacity()) spare_ = std::move(now);  // its memory, for the next round
}

bool Engine::anything_ready() noexcept {
  for (transport::Device* device : devices_) {
    if (device->ready()) return true;
  }
  return !ready_.empty() || watches_.find([](const Watch& each) { return each.reached(); }) != nullptr;
}

// ---- waiting

/// Most collective operations on one node end with a word in shared memory: looks at those that are watched, and less
/// often at the devices. Gives up after a while, as a blocking operation does.
void Engine::look_for(const Request& request) {
  constexpr unsigned most_looks = 256, looks_per_round = 8;
  const unsigned most = policy_.shared_cores ? 0 : std::min(policy_.spins, most_looks);
  for (unsigned looks = 0; looks < most && !request.done; ++looks) {
    if (Watch* const watch = watches_.find([](const Watch& each) { return each.reached(); })) {
      List<Watch>::remove(*watch);
      watch->notice.take_down();
      watch->waiter.resume();
      looks = 0;
    } else if (looks % looks_per_round == looks_per_round - 1) {
      progress();
    } else {
      cpu_relax();
    }
  }
}

/// There may be a progress thread, which has left the lane to the call that waited.
void Engine::wait_ended() const noexcept {
  ProgressThread::wait_ended(*this);
}

void Engine::rest_long(Rest kind) {
  bool slept = false;
  if (lanes_ != nullptr) {
    slept = lanes_->rest(*this, kind);
  } else if (kind == Rest::spin) {
    cpu_relax();
  } else {
    policy_.yield();
  }
  if (kind != Rest::spin) rested(slept);
}

void Engine::drain() {
  const auto drained = [](transport::Device* device) { return device->drained(); };
  wait_until([&] { return active_sends_ == 0 && waiting_peers_.empty() && std::ranges::all_of(devices_, drained); });
}

}  // namespace bowline::proto
