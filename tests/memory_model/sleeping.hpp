// SPDX-License-Identifier: BSD-3-Clause
// How the processes of a model sleep and wake each other. A process sleeps whenever it waits, so that a wake-up which
// is lost leaves the model in a deadlock.
#pragma once

#include "explore.hpp"
#include "proto/watch.hpp"
#include "shm/doorbell.hpp"

namespace bowline::model {

/// Sleeps until the word that the watch names has reached its value, as proto::Lanes::rest() does.
inline void sleep_until_reached(const proto::Watch& watch, Atomic<std::uint32_t>& bell) {
  while (!watch.reached()) {
    watch.notice.put_up();
    shm::announce_sleep(bell);
    watch.reached() ? shm::stay_awake(bell) : shm::sleep_on(bell, 1000);
    watch.notice.take_down();
  }
}

/// What shm::ShmEndpoint::wake() does.
inline void wake_at(Atomic<std::uint32_t>& bell) {
  if (shm::owner_asleep(bell)) shm::wake_owner(bell);
}

}  // namespace bowline::model
