// SPDX-License-Identifier: BSD-3-Clause
// Progress, and waiting for it.
#include <sched.h>

#include <algorithm>

#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::proto {

unsigned Engine::poll_devices() noexcept {
  unsigned events = 0;
  // By index: connection establishment may add a device.
  for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
  return events;
}

unsigned Engine::progress() noexcept {
  outbox_.looks();
  unsigned events = poll_devices();
  if (outbox_.waits_for_room() || coroutines_.any() || flow_.throttles()) [[unlikely]]
    events += progress_rare();
  if (events != 0 && lock_.enabled()) [[unlikely]]
    wake_sleepers();
  return events;
}

unsigned Engine::progress_rare() noexcept {
  if (outbox_.waits_for_room()) outbox_.flush_waiting();
  if (flow_.throttles()) flow_.resume_needed();
  return coroutines_.resume() ? 1 : 0;
}

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

bool Engine::anything_ready() noexcept {
  return std::ranges::any_of(devices_, [](transport::Device* device) { return device->ready(); }) ||
         coroutines_.any_to_resume();
}

void Engine::wake_sleepers() noexcept {
  if (lanes_ != nullptr) lanes_->wake_sleepers();
}

// ---- waiting

/// Polls the watched words, and less often the devices, because most collective operations on one node complete with a
/// word in shared memory. Gives up after a number of polls, as the spinning of a blocking operation does.
void Engine::look_for(const Request& request) noexcept {
  constexpr unsigned most_looks = 256, looks_per_round = 8;
  const unsigned most = policy_.shared_cores ? 0 : std::min(policy_.spins, most_looks);
  for (unsigned looks = 0; looks < most && !request.done; ++looks) {
    if (coroutines_.resume_one_reached()) {
      looks = 0;
    } else if (looks % looks_per_round == looks_per_round - 1) {
      progress();
    } else {
      cpu_relax();
    }
  }
}

/// Notifies the progress thread, if there is one: the progress thread has left the lane to the waiting call.
void Engine::wait_ended() const noexcept {
  ProgressThread::wait_ended(*this);
}

void Engine::rest_long(Rest kind, bool waits) noexcept {
  bool slept = false;
  if (lanes_ != nullptr) {
    slept = lanes_->rest(*this, kind);
  } else if (kind == Rest::spin) {
    cpu_relax();
  } else {
    sched_yield();
  }
  if (kind != Rest::spin) liveness_.rested(slept, waits);
}

void Engine::drain(const std::function<bool()>& abandons, bool last) {
  if (last) liveness_.sends_are_unattended(true);
  wait_until([&] { return (!requests_.any_send_pending() && flushed()) || (abandons && abandons()); },
             {&sends_awaited, nullptr});
}

bool Engine::flushed() noexcept {
  return outbox_.handed_over() &&
         std::ranges::all_of(devices_, [](transport::Device* device) { return device->drained(); });
}

}  // namespace bowline::proto
