// SPDX-License-Identifier: BSD-3-Clause
// The count under ThreadSanitizer, which has its own allocation functions and reports every call of them.
#include <sanitizer/allocator_interface.h>

#include <atomic>

#include "support/allocations.hpp"

namespace {

std::atomic<std::size_t> count{0};

// malloc is counted too, which is stricter than without the sanitizer.
void allocated(const volatile void*, std::size_t) {
  count.fetch_add(1, std::memory_order_relaxed);
}
void freed(const volatile void*) {}

const int hooks = __sanitizer_install_malloc_and_free_hooks(allocated, freed);

}  // namespace

namespace bowline::test {

// If the sanitizer could not install the hooks, every call returns another number, so that no test passes because
// nothing was counted.
std::size_t allocations() noexcept {
  return hooks > 0 ? count.load(std::memory_order_relaxed) : ++count;
}

}  // namespace bowline::test
