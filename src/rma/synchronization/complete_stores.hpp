// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/atomic.hpp"

namespace bowline::rma {

/// Orders all accesses before to memory that is mapped here against all accesses after. Mapped memory needs no more to
/// complete: a store is visible to all processes or to none, and no later access of this process overtakes it.
inline void complete_stores() noexcept {
  thread_fence(std::memory_order_seq_cst);
}

}  // namespace bowline::rma
