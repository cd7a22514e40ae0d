// SPDX-License-Identifier: BSD-3-Clause
// ucx: memory that a device reads and writes in another process, under keys that the registration cache keeps.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <span>
#include <string>

#include "base/counter.hpp"
#include "support/seed.hpp"
#include "two_devices.hpp"

namespace bowline::ucx {
namespace {

TEST_F(Ucx, MemoryIsReadAndWrittenUnderAKey) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(300'000, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  ASSERT_FALSE(key.empty());
  const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()), key};
  const Access got = to_second->get(source, mine, ends);
  ASSERT_NE(got, Access::refused);
  until([&] { return got == Access::done || ends.count == 1; });
  EXPECT_EQ(mine, theirs);
  to_first->deregister(key);

  Bytes place(theirs.size());
  const Bytes place_key = to_first->register_memory(place);
  const transport::Remote target{reinterpret_cast<std::uintptr_t>(place.data()), place_key};
  const Access put = to_second->put(theirs, target, ends);
  ASSERT_NE(put, Access::refused);
  until([&] { return put == Access::done || ends.count == 2; });
  EXPECT_EQ(place, theirs);
  to_first->deregister(place_key);
  EXPECT_TRUE(ends.failures.empty());
}

/// What this process has in pages of 2 MiB, in KiB.
std::size_t in_huge_pages() {
  std::ifstream maps("/proc/self/smaps");
  std::size_t all = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.starts_with("AnonHugePages:")) all += std::stoul(line.substr(line.find(':') + 1));
  }
  return all;
}

TEST_F(Ucx, BuffersOfUcxTakeNoHugePages) {
  const Bytes body = pattern(50'000, 8);
  const Bytes prefix = pattern(24, 1);
  Ends ends;
  const std::size_t before = in_huge_pages();
  const Post post = to_second->post({}, prefix, one_run(body), ends);  // UCX keeps the header meanwhile
  ASSERT_NE(post, Post::retry);
  until([&] { return at_second.arrivals.size() == 1 && ends.count == (post == Post::begun ? 1 : 0); });
  EXPECT_EQ(in_huge_pages(), before);
}

TEST_F(Ucx, MemoryWithoutAKeyIsRefused) {
  Ends ends;
  Bytes mine(10);
  EXPECT_EQ(to_second->get({0x1000, {}}, mine, ends), Access::refused);
  EXPECT_EQ(to_second->put(mine, {0x1000, {}}, ends), Access::refused);
}

std::uint64_t counted(const std::string& name) {
  for (const Measure* counter : Measure::all()) {
    if (counter->name() == name) return counter->value();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

/// Memory that is unmapped and mapped again at the same address between two transfers: the data must be those that are
/// there now, and the cache must have heard of it each time. REMAP_ROUNDS says how often.
TEST_F(Ucx, RemappedMemoryIsRegisteredAnewAndItsDataAreRight) {
  const char* const text = std::getenv("REMAP_ROUNDS");
  const int rounds = text != nullptr ? std::atoi(text) : 2000;
  constexpr std::size_t bytes = 64 << 10;
  const auto to_first = connect(second, 3, first);
  std::mt19937 random(test::seeds().front());
  Bytes mine(bytes);
  const auto before = counted("registration_invalidations");
  void* place = nullptr;
  for (int round = 0; round < rounds; ++round) {
    void* const mapped = mmap(place, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | (place != nullptr ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    ASSERT_TRUE(place == nullptr || mapped == place);
    place = mapped;
    const std::span memory(static_cast<std::byte*>(mapped), bytes);
    const auto mark = static_cast<std::byte>(random());
    std::ranges::fill(memory, mark);
    Ends ends;
    const Bytes key = to_first->register_memory(memory);
    const Access got = to_second->get({reinterpret_cast<std::uintptr_t>(mapped), key}, mine, ends);
    until([&] { return got == Access::done || ends.count == 1; });
    to_first->deregister(key);
    ASSERT_TRUE(std::ranges::all_of(mine, [&](std::byte each) { return each == mark; })) << "round " << round;
    ASSERT_EQ(munmap(mapped, bytes), 0);
  }
  EXPECT_GE(counted("registration_invalidations") - before, static_cast<std::uint64_t>(rounds - 1));
}

}  // namespace
}  // namespace bowline::ucx
