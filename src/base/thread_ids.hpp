// SPDX-License-Identifier: BSD-3-Clause
// The threads of this process.
#pragma once

#include <sys/types.h>

#include <vector>

namespace bowline {

/// The ids of all threads that live now, in ascending order; empty if they are not known.
std::vector<pid_t> thread_ids();

/// The id of the calling thread.
pid_t this_thread_id() noexcept;

}  // namespace bowline
