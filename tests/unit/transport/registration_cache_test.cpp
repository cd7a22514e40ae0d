// SPDX-License-Identifier: BSD-3-Clause
// transport/registration_cache: what is registered is what is mapped there now, and bounded.
#include "transport/registration_cache.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/counter.hpp"
#include "base/error.hpp"
#include "support/event_record.hpp"
#include "support/seed.hpp"

namespace bowline::transport {
namespace {

constexpr std::size_t page = 4096;

std::uint64_t counted(const std::string& name) {
  for (const Measure* counter : Measure::all()) {
    if (counter->name() == name) return counter->value();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

/// An adapter that keeps what it has found in every page: that is what it "reads" later, as a real one goes on reading
/// the pages that it has pinned.
class FakeAdapter final : public Registrar {
 public:
  struct Entry {
    std::span<const std::byte> memory;
    std::vector<std::byte> pages;
  };
  ~FakeAdapter() { EXPECT_TRUE(entries.empty()) << entries.size() << " regions are still registered"; }

  void* add(std::span<const std::byte> memory) override {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % page, 0U);
    EXPECT_EQ(memory.size() % page, 0U);
    if (memory.size() > largest) throw Error(ErrorClass::other, "too long for this adapter");
    if (bytes + memory.size() > most) throw Error(ErrorClass::no_mem, "no more memory can be locked");
    auto* const entry = new Entry{memory, {}};
    for (std::size_t at = 0; look && at < memory.size(); at += page) entry->pages.push_back(look(memory.data() + at));
    entries.insert(entry);
    bytes += memory.size();
    return entry;
  }
  void remove(void* handle) noexcept override {
    auto* const entry = static_cast<Entry*>(handle);
    EXPECT_EQ(entries.erase(entry), 1U);
    bytes -= entry->memory.size();
    delete entry;
  }
  /// What the adapter finds in the page at this address.
  static std::byte read(const RegistrationCache::Region& region, const std::byte* address) {
    const auto& entry = *static_cast<const Entry*>(region.handle());
    return entry.pages.at(static_cast<std::size_t>(address - entry.memory.data()) / page);
  }

  std::function<std::byte(const std::byte*)> look;  ///< what is in a page; nothing: nobody wants to know
  std::size_t largest = SIZE_MAX;
  std::size_t most = SIZE_MAX;  ///< bytes at a time
  std::set<Entry*> entries;
  std::size_t bytes = 0;
};

class Registrations : public testing::Test {
 protected:
  static std::span<const std::byte> at(std::uintptr_t first_page, std::size_t pages) {
    return {reinterpret_cast<const std::byte*>(base + first_page * page), pages * page};
  }
  static bool contains(const RegistrationCache::Region& region, std::span<const std::byte> memory) {
    return region.memory().data() <= memory.data() &&
           memory.data() + memory.size() <= region.memory().data() + region.memory().size();
  }
  RegistrationCache::Region& acquire(std::span<const std::byte> memory) {
    RegistrationCache::Region& region = cache.acquire(memory);
    EXPECT_TRUE(contains(region, memory));
    return region;
  }
  void use(std::span<const std::byte> memory) { cache.release(acquire(memory)); }
  void unmap(std::uintptr_t first_page, std::size_t pages) { cache.unmapped(base + first_page * page, pages * page); }

  static constexpr std::uintptr_t base = 0x10'0000'0000;
  FakeAdapter adapter;
  RegistrationCache cache{adapter, 100 * page, 8};
};

TEST_F(Registrations, TheSameMemoryIsRegisteredOnce) {
  const auto before = counted("registration_hits");
  for (int i = 0; i < 5; ++i) use(at(10, 3));
  use(at(11, 1));
  EXPECT_EQ(adapter.entries.size(), 1U);
  EXPECT_EQ(counted("registration_hits") - before, 5U);
}

TEST_F(Registrations, AnyBytesAreRegisteredAsWholePages) {
  use({reinterpret_cast<const std::byte*>(base + 100), page});
  EXPECT_EQ(adapter.bytes, 2 * page);
}

TEST_F(Registrations, RegionsThatOverlapBecomeOne) {
  use(at(10, 2));
  use(at(14, 2));
  use(at(11, 4));
  EXPECT_EQ(adapter.entries.size(), 1U);
  EXPECT_EQ(adapter.bytes, 6 * page);
  use(at(10, 6));
  EXPECT_EQ(adapter.entries.size(), 1U);
}

TEST_F(Registrations, ListenersHearWhatIsMadeAndDropped) {
  const test::EventRecord made("registration_made"), dropped("registration_dropped");
  const auto region = [](std::size_t first, std::size_t pages) {
    return test::EventRecord::Numbers{reinterpret_cast<std::uintptr_t>(at(first, pages).data()), pages * page};
  };
  use(at(10, 2));
  use(at(10, 2));
  use(at(11, 4));
  EXPECT_EQ(made.all(), (test::EventRecord::Occurrences{region(10, 2), region(10, 5)}));
  EXPECT_EQ(dropped.all(), test::EventRecord::Occurrences{region(10, 2)});
}

TEST_F(Registrations, NeighboursStayApart) {
  use(at(10, 2));
  use(at(12, 2));
  EXPECT_EQ(adapter.entries.size(), 2U);
}

TEST_F(Registrations, WhatCannotBeRegisteredTogetherIsRegisteredAlone) {
  use(at(10, 3));
  adapter.largest = 3 * page;
  use(at(12, 3));
  EXPECT_EQ(adapter.bytes, 3 * page);
  EXPECT_THROW(cache.acquire(at(40, 4)), Error);
}

TEST_F(Registrations, WhatIsIdleMakesRoomForWhatCouldNotBeLocked) {
  adapter.most = 6 * page;
  RegistrationCache::Region& used = acquire(at(0, 2));
  use(at(10, 2));
  use(at(20, 2));
  use(at(30, 3));
  EXPECT_EQ(adapter.bytes, 5 * page);
  EXPECT_THROW(cache.acquire(at(40, 5)), Error);
  cache.release(used);
}

TEST_F(Registrations, WhatIsIdleIsDroppedIfSomebodyElseNeedsMemory) {
  RegistrationCache::Region& used = acquire(at(0, 2));
  use(at(10, 2));
  use(at(20, 2));
  cache.drop_idle();
  EXPECT_EQ(adapter.bytes, 2 * page);
  cache.release(used);
  cache.drop_idle();
  EXPECT_EQ(adapter.bytes, 0U);
}

TEST_F(Registrations, TheLongestUnusedGoesFirst) {
  for (std::uintptr_t i = 0; i < 8; ++i) use(at(10 * i, 1));
  use(at(0, 1));
  const auto before = counted("registration_evictions");
  use(at(90, 1));
  EXPECT_EQ(counted("registration_evictions") - before, 1U);
  const auto registered = counted("registrations");
  use(at(0, 1));
  EXPECT_EQ(counted("registrations"), registered);
  use(at(10, 1));
  EXPECT_EQ(counted("registrations"), registered + 1);
}

TEST_F(Registrations, WhatIsInUseStaysHoweverMuchThereIs) {
  std::vector<RegistrationCache::Region*> used;
  for (std::uintptr_t i = 0; i < 20; ++i) used.push_back(&acquire(at(100 * i, 10)));
  EXPECT_EQ(adapter.entries.size(), 20U);
  for (RegistrationCache::Region* region : used) cache.release(*region);
  EXPECT_LE(adapter.entries.size(), 8U);
  EXPECT_LE(adapter.bytes, 100 * page);
}

TEST_F(Registrations, UnmappedMemoryIsRegisteredAnew) {
  use(at(10, 4));
  const auto registered = counted("registrations");
  unmap(13, 10);
  use(at(10, 4));
  EXPECT_EQ(counted("registrations"), registered + 1);
  EXPECT_EQ(adapter.entries.size(), 1U);
  unmap(14, 10);
  unmap(0, 10);
  use(at(10, 4));
  EXPECT_EQ(counted("registrations"), registered + 1);
}

TEST_F(Registrations, UnmappingWhatIsInUseEndsItWithItsLastUser) {
  RegistrationCache::Region& first = acquire(at(10, 4));
  RegistrationCache::Region& again = acquire(at(10, 4));
  unmap(10, 1);
  RegistrationCache::Region& anew = acquire(at(10, 4));
  EXPECT_NE(&first, &anew);
  EXPECT_EQ(adapter.entries.size(), 2U);
  cache.release(first);
  EXPECT_EQ(adapter.entries.size(), 2U);
  cache.release(again);
  EXPECT_EQ(adapter.entries.size(), 1U);
  cache.release(anew);
  EXPECT_EQ(adapter.entries.size(), 1U);
}

TEST_F(Registrations, MoreUnmappingThanCanBeNotedForgetsEverything) {
  for (std::uintptr_t i = 0; i < 8; ++i) use(at(1000 * i, 1));
  for (std::uintptr_t i = 0; i < 500; ++i) unmap(2 * i + 1, 1);
  const auto registered = counted("registrations");
  use(at(7000, 1));
  EXPECT_EQ(counted("registrations"), registered + 1);
}

/// Every page has a content that changes when it is unmapped.
TEST_F(Registrations, WhateverHappensTheAdapterSeesWhatIsThereNow) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<std::byte> content(64);
    const auto page_of = [](const std::byte* address) {
      return (reinterpret_cast<std::uintptr_t>(address) - base) / page;
    };
    adapter.look = [&](const std::byte* address) { return content.at(page_of(address)); };
    std::vector<RegistrationCache::Region*> used;
    for (int step = 0; step < 20000; ++step) {
      const std::uintptr_t from = random() % 60;
      const std::size_t pages = 1 + random() % 4;
      const unsigned choice = random() % 4;
      if (choice == 0) {
        unmap(from, pages);
        for (std::size_t i = from; i < from + pages; ++i) content[i] = static_cast<std::byte>(random());
      } else if (choice == 1 && !used.empty()) {
        std::swap(used[random() % used.size()], used.back());
        cache.release(*used.back());
        used.pop_back();
      } else if (used.size() < 20) {
        used.push_back(&acquire(at(from, pages)));
        for (std::size_t i = 0; i < pages; ++i) {
          const std::byte* const address = at(from, pages).data() + i * page;
          ASSERT_EQ(FakeAdapter::read(*used.back(), address), content[page_of(address)]) << "step " << step;
        }
      }
      ASSERT_LE(adapter.entries.size(), 8 + used.size());
    }
    for (RegistrationCache::Region* const region : used) cache.release(*region);
    unmap(0, 64);
  }
}

/// Maps memory at one address, registers it, unmaps it and maps other memory there: the adapter must see what is there
/// now. REMAP_ROUNDS says how often.
TEST_F(Registrations, RemappedMemoryIsSeenAsItIsNow) {
  const char* const text = std::getenv("REMAP_ROUNDS");
  const long rounds = text != nullptr ? std::atol(text) : 5000;
  adapter.look = [](const std::byte* address) { return *address; };
  std::mt19937 random(test::seeds().front());
  void* const place = mmap(nullptr, 16 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  auto* const memory = static_cast<std::byte*>(place);
  for (long round = 0; round < rounds; ++round) {
    const std::size_t first = random() % 12;
    const std::size_t pages = 1 + random() % 4;
    std::byte* const part = memory + first * page;
    cache.unmapped(reinterpret_cast<std::uintptr_t>(part), pages * page);
    ASSERT_EQ(mmap(part, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), part);
    const auto mark = static_cast<std::byte>(random());
    for (std::size_t i = 0; i < pages; ++i) part[i * page] = mark;
    RegistrationCache::Region& region = cache.acquire({part, pages * page});
    for (std::size_t i = 0; i < pages; ++i) ASSERT_EQ(FakeAdapter::read(region, part + i * page), mark) << round;
    cache.release(region);
  }
  // What is registered beyond what the last rounds have touched must not be read through the cache after this.
  cache.unmapped(reinterpret_cast<std::uintptr_t>(memory), 16 * page);
  munmap(place, 16 * page);
}

TEST(ThreadsRegistrations, UseAndUnmapAtTheSameTime) {
  FakeAdapter adapter;
  RegistrationCache cache(adapter, 64 * page, 16);
  constexpr std::uintptr_t base = 0x10'0000'0000;
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      std::mt19937 random(thread);
      for (int step = 0; step < 5000; ++step) {
        const std::uintptr_t address = base + random() % 40 * page;
        if (random() % 3 == 0) {
          cache.unmapped(address, page);
        } else {
          cache.release(cache.acquire({reinterpret_cast<const std::byte*>(address), 2 * page}));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace bowline::transport
