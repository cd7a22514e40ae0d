// SPDX-License-Identifier: BSD-3-Clause
// How requests are carried out: by the process that posted them, one queue pair at a time in the order of its queue,
// with the lock held. A request that cannot be carried out yet (no receive, no answer, a port that is down) keeps its
// queue pair in the list of those that wait. Every poll and post of the process tries these again, and so does a
// thread, because an adapter needs no help of its process either.
#pragma once

#include <cstdint>

#include "support/fabric/adapter.hpp"

namespace fabric {

/// This process's queue pair with a number, or nothing. The lock is held, as for all of these.
Pair* pair_with(std::uint32_t number);
void add_pair(Pair& pair);
void remove_pair(Pair& pair);

/// Carries out the requests of a queue pair as far as possible.
void work_off(Pair& pair);

/// Makes a queue pair one that waits.
void defer(Pair& pair);

/// Tries again what waits, and flushes the queue pairs that other processes have put into the error state.
void work_off_all();

/// Whether any queue pair of this process waits.
bool anything_waits();

/// Starts the thread that calls work_off_all while anything waits, or wakes it.
void wake_retrier();

/// Puts any process's queue pair into the error state and flushes its receives. Its owner flushes its sends, and gets
/// the event (an ibv_event_type, or none).
void break_pair(QueuePair& pair, int event);

/// Keeps the memory of an object that was destroyed for some time.
void retire(void* object, void (*destroy)(void*));

template <typename Object>
void retire(Object* object) {
  retire(object, [](void* old) { delete static_cast<Object*>(old); });
}

}  // namespace fabric
