// SPDX-License-Identifier: BSD-3-Clause
// What a thread does between two looks at a word that another one will change.
#pragma once

namespace bowline {

/// Tells the processor that the thread spins. x86: some 40 to 140 cycles. ARM: `isb` lets the pipeline run empty, which
/// takes some tens of cycles; `yield` is a no-operation on its processors with one thread per core.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace bowline
