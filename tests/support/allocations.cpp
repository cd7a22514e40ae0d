// SPDX-License-Identifier: BSD-3-Clause
// Allocation functions that count, in place of those of the standard library. The library's array and nothrow forms
// call these; the nothrow forms of AddressSanitizer do not.
#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

using bowline::test::FailingAllocations;

std::atomic<std::size_t> count{0};
constexpr std::size_t never = ~std::size_t{0};
std::atomic<std::size_t> first_to_fail{never};  ///< number of the allocation
std::atomic<std::size_t> last_to_fail{0};
std::atomic<bool> has_failed{false};

void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t number = count.fetch_add(1, std::memory_order_relaxed);
  if (number >= first_to_fail.load(std::memory_order_relaxed) && number <= last_to_fail) {
    has_failed = true;
    throw std::bad_alloc();
  }
  // aligned_alloc requires a multiple of the alignment.
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return allocate(bytes, alignof(std::max_align_t));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace bowline::test {

std::size_t allocations() noexcept {
  return count.load(std::memory_order_relaxed);
}

FailingAllocations::FailingAllocations(std::size_t after, Which which) noexcept {
  has_failed = false;
  const std::size_t first = count + after;
  last_to_fail = which == Which::one ? first : never;
  first_to_fail = first;
}
FailingAllocations::~FailingAllocations() {
  first_to_fail = never;
}
bool FailingAllocations::failed() noexcept {
  return has_failed;
}

}  // namespace bowline::test
