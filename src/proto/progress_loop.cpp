// SPDX-License-Identifier: BSD-3-Clause
#include "proto/progress_loop.hpp"

#include <sched.h>

#include <algorithm>

#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::proto {

unsigned ProgressLoop::poll_devices() noexcept {
  unsigned events = 0;
  // By index: connection establishment may add a device.
  for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(sink_);
  return events;
}

unsigned ProgressLoop::progress() noexcept {
  engine_.outbox().looks();
  unsigned events = poll_devices();
  if (engine_.outbox().waits_for_room() || coroutines_.any() || engine_.flow().throttles()) [[unlikely]]
    events += progress_rare();
  if (events != 0 && lock_.enabled()) [[unlikely]]
    wake_sleepers();
  return events;
}

unsigned ProgressLoop::progress_rare() noexcept {
  if (engine_.outbox().waits_for_room()) engine_.outbox().flush_waiting();
  if (engine_.flow().throttles()) engine_.flow().resume_needed();
  return coroutines_.resume() ? 1 : 0;
}

bool ProgressLoop::device_ready() noexcept {
  return std::ranges::any_of(devices_, [](transport::Device* device) { return device->ready(); });
}

/// Shared memory has no descriptor.
bool ProgressLoop::has_network() const noexcept {
  return std::ranges::any_of(devices_, [](const transport::Device* device) { return device->descriptor() >= 0; });
}

bool ProgressLoop::anything_ready() noexcept {
  return device_ready() || coroutines_.any_to_resume();
}

void ProgressLoop::wake_sleepers() noexcept {
  if (lanes_ != nullptr) lanes_->wake_sleepers();
}

// ---- waiting

/// Polls the watched words, and less often the devices, because most collective operations on one node complete with a
/// word in shared memory. Gives up after a number of polls, as the spinning of a blocking operation does.
void ProgressLoop::look_for(const Request& request) noexcept {
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
void ProgressLoop::wait_ended() const noexcept {
  ProgressThread::wait_ended(engine_);
}

void ProgressLoop::rest_long(Rest kind, bool waits) noexcept {
  bool slept = false;
  if (lanes_ != nullptr) {
    slept = lanes_->rest(engine_, kind);
  } else if (kind == Rest::spin) {
    cpu_relax();
  } else {
    sched_yield();
  }
  if (kind != Rest::spin) engine_.liveness().rested(slept, waits);
}

void ProgressLoop::look_for_lost() noexcept {
  if (engine_.liveness().any_failed()) engine_.liveness().check(false);
}

void ProgressLoop::drain(const std::function<bool()>& abandons, bool last) {
  if (last) engine_.liveness().sends_are_unattended(true);
  wait_until([&] { return (!engine_.requests().any_send_pending() && flushed()) || (abandons && abandons()); },
             {&sends_awaited, nullptr});
}

bool ProgressLoop::flushed() noexcept {
  return engine_.outbox().handed_over() &&
         std::ranges::all_of(devices_, [](transport::Device* device) { return device->drained(); });
}

}  // namespace bowline::proto
