// SPDX-License-Identifier: BSD-3-Clause
// verbs: memory that the program gives back to the system, in all the ways in which allocators do, and gets again at
// the same address between two transfers. The data must be those that are there now, and each time the memory must have
// been registered anew: an adapter would go on reading the pages that it has pinned.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "base/counter.hpp"
#include "support/seed.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_pages = 16;
constexpr std::size_t most_bytes = most_pages * page;
#ifdef __SANITIZE_ADDRESS__
// AddressSanitizer's allocator unmaps longer blocks by system calls of its own, which nobody can observe.
constexpr std::size_t mapped_by_malloc = 256 << 10;
#else
constexpr std::size_t mapped_by_malloc = 64 << 20;  // longer than all free parts of the heap
#endif

std::uint64_t counted(const std::string& name) {
  for (const Measure* counter : Measure::all()) {
    if (counter->name() == name) return counter->value();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

std::byte* map_at(void* place, std::size_t bytes) {
  const int fixed = place == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  void* const mapped = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
  EXPECT_NE(mapped, MAP_FAILED);
  return static_cast<std::byte*>(mapped);
}

/// Memory that is exchanged for other memory at the same address.
class Remapped {
 public:
  /// From now on malloc gives long blocks back to the system at once.
  Remapped() : mapped_(map_at(nullptr, most_bytes)) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    segment_ = shmget(IPC_PRIVATE, most_bytes, IPC_CREAT | 0600);
    EXPECT_GE(segment_, 0);
    shared_ = static_cast<std::byte*>(shmat(segment_, nullptr, 0));
  }
  ~Remapped() {
    munmap(mapped_, most_bytes);
    shmdt(shared_);
    shmctl(segment_, IPC_RMID, nullptr);
  }
  Remapped(const Remapped&) = delete;
  Remapped& operator=(const Remapped&) = delete;

  static constexpr unsigned ways = 6;
  /// Memory of which a part, or all, was given back and taken again in this way. It begins where it did the last time.
  std::span<std::byte> exchange(unsigned way, std::size_t pages) {
    const std::size_t bytes = pages * page;
    switch (way) {
      case 0:
        munmap(mapped_, bytes);
        map_at(mapped_, bytes);
        return {mapped_, bytes};
      case 1:
        move_away();
        return {mapped_, bytes};
      case 2:
        EXPECT_EQ(madvise(mapped_, bytes, MADV_DONTNEED), 0);
        return {mapped_, bytes};
      case 3:
        return {on_heap(bytes), bytes};
      case 4:
        std::free(block_.release());
        block_.reset(static_cast<std::byte*>(std::malloc(bytes + mapped_by_malloc)));
        return {block_.get(), bytes};
      default:
        EXPECT_EQ(shmdt(shared_), 0);
        EXPECT_EQ(shmat(segment_, shared_, 0), shared_);
        return {shared_, bytes};
    }
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };

  /// The pages get another address, and others come here. mremap with MREMAP_FIXED cannot be tested: UCM 1.13 drops the
  /// new address.
  void move_away() {
    void* const moved = mremap(mapped_, most_bytes, 2 * most_bytes, MREMAP_MAYMOVE);
    EXPECT_NE(moved, MAP_FAILED);
    munmap(moved, 2 * most_bytes);
    map_at(mapped_, most_bytes);
  }

  /// The end of the heap, moved down and up.
  static std::byte* on_heap(std::size_t bytes) {
    void* const place = sbrk(static_cast<std::intptr_t>(bytes));
    EXPECT_NE(place, reinterpret_cast<void*>(-1));
    std::memset(place, 1, bytes);
    EXPECT_NE(sbrk(-static_cast<std::intptr_t>(bytes)), reinterpret_cast<void*>(-1));
    EXPECT_EQ(sbrk(static_cast<std::intptr_t>(bytes)), place);
    return static_cast<std::byte*>(place);
  }

  std::byte* mapped_;
  std::byte* shared_ = nullptr;
  int segment_ = -1;
  std::unique_ptr<std::byte, Free> block_;
};

/// REMAP_ROUNDS says how often.
TEST_F(Verbs, RemappedMemoryIsRegisteredAnewAndItsDataAreRight) {
  const char* const text = std::getenv("REMAP_ROUNDS");
  const int rounds = text != nullptr ? std::atoi(text) : 2000;
  const auto to_first = connect(second, 3, first);
  std::mt19937 random(test::seeds().front());
  Remapped memory;
  Bytes mine(most_bytes);
  std::array<int, Remapped::ways> served{};
  for (int round = 0; round < rounds; ++round) {
    const unsigned way = random() % Remapped::ways;
    const std::span<std::byte> place = memory.exchange(way, 1 + random() % most_pages);
    const auto mark = static_cast<std::byte>(random());
    std::ranges::fill(place, mark);
    const auto before = counted("registrations");
    const Bytes key = to_first->register_memory(place);
    ASSERT_EQ(counted("registrations"), before + 1) << "an old registration is used, way " << way;
    ++served[way];
    Ends ends;
    const std::span<std::byte> target = std::span(mine).first(place.size());
    ASSERT_EQ(to_second->get({reinterpret_cast<std::uintptr_t>(place.data()), key}, target, ends), Access::begun);
    until([&] { return ends.count == 1; });
    to_first->deregister(key);
    ASSERT_TRUE(ends.failures.empty()) << ends.failures.front();
    ASSERT_TRUE(std::ranges::all_of(target, [&](std::byte each) { return each == mark; })) << "round " << round;
    ASSERT_FALSE(HasFailure()) << "round " << round;
    if (way == 3 && sbrk(0) == place.data() + place.size()) sbrk(-static_cast<std::intptr_t>(place.size()));
  }
  for (const int count : served) EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace bowline::verbs
