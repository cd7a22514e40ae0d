// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/atomic.hpp"

namespace bowline::rma {

/// Completes the puts and stores of this process to memory that is mapped here: no access after the call overtakes one
/// before it. No answer is awaited, because a store becomes visible to all other processes at the same time.
inline void complete_stores() noexcept {
  thread_fence(std::memory_order_seq_cst);
}

}  // namespace bowline::rma
