// SPDX-License-Identifier: BSD-3-Clause
// verbs: memory that one device reads and writes in the process of the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "support/fabric/fabric_control.hpp"
#include "transport/adapter_bytes.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

transport::Remote remote(const Bytes& memory, const Bytes& key) {
  return {reinterpret_cast<std::uintptr_t>(memory.data()), key};
}

TEST_F(Verbs, MemoryIsReadAndWrittenUnderAKey) {
  const test::Setting both{"verbs_remote_memory", "get"};
  const auto to_first = connect(second, 3, first);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4000}, std::size_t{300'000}, std::size_t{3} << 20}) {
    const Bytes theirs = pattern(bytes, 6);
    Bytes mine(bytes);
    Ends ends;
    const Bytes key = to_first->register_memory(theirs);
    ASSERT_FALSE(key.empty());
    ASSERT_EQ(to_second->get(remote(theirs, key), mine, ends), Access::begun);
    until([&] { return ends.count == 1; });
    EXPECT_TRUE(mine == theirs) << bytes;
    to_first->deregister(key);

    Bytes place(bytes);
    const Bytes place_key = to_first->register_memory(place);
    ASSERT_EQ(to_second->put(theirs, remote(place, place_key), ends), Access::begun);
    until([&] { return ends.count == 2; });
    EXPECT_TRUE(place == theirs) << bytes;
    to_first->deregister(place_key);
    EXPECT_TRUE(ends.failures.empty());
  }
}

/// Both devices use the same adapter.
TEST_F(Verbs, TheBytesOfAnAdapterAreCounted) {
  const auto sums = [] { return transport::AdapterBytes::sums().front(); };
  const auto to_first = connect(second, 3, first);
  const auto before = sums();
  EXPECT_EQ(before.adapter, "fabric0");
  constexpr std::size_t bytes = 300'000;
  const Bytes theirs = pattern(bytes, 6);
  Bytes mine(bytes);
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  ASSERT_EQ(to_second->get(remote(theirs, key), mine, ends), Access::begun);
  until([&] { return ends.count == 1; });
  constexpr std::size_t control = 1000;  // what the devices tell each other
  EXPECT_GE(sums().received, before.received + bytes);
  EXPECT_LT(sums().received, before.received + bytes + control);
  EXPECT_LT(sums().sent, before.sent + control);
  const Bytes message(100);
  send(*to_second, {}, {}, message);
  until([&] { return at_second.arrivals.size() == 1 && first.drained(); });
  EXPECT_GE(sums().sent, before.sent + 100);
  EXPECT_GE(sums().received, before.received + bytes + 100);
  to_first->deregister(key);
}

TEST_F(Verbs, ManyTransfersWaitForRoomAndAllEnd) {
  const auto to_first = connect(second, 3, first);
  constexpr int transfers = 500;
  Bytes theirs = pattern(transfers * 16, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  for (std::size_t i = 0; i < transfers; ++i) {
    const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()) + i * 16, key};
    ASSERT_EQ(to_second->get(source, std::span(mine).subspan(i * 16, 16), ends), Access::begun);
  }
  until([&] { return ends.count == transfers; });
  EXPECT_EQ(mine, theirs);
  to_first->deregister(key);
}

TEST_F(Verbs, TheAdapterIsToldOnceOfAllFragmentsThatFollowEachOther) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(8 << 20, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  ASSERT_EQ(to_second->get(remote(theirs, key), std::span(mine).first(1), ends), Access::begun);
  until([&] { return ends.count == 1; });
  fabric_counts before{}, after{};
  fabric_count(&before);
  ASSERT_EQ(to_second->get(remote(theirs, key), mine, ends), Access::begun);
  fabric_count(&after);
  EXPECT_EQ(after.reads - before.reads, 16U);
  EXPECT_EQ(after.doorbells - before.doorbells, 1U);
  until([&] { return ends.count == 2; });
  EXPECT_TRUE(mine == theirs);
  to_first->deregister(key);
}

// Run once more with little memory to lock and an adapter that pages on demand: unit.verbs.on_demand.
TEST_F(Verbs, MemoryIsLockedAsLongAsThatIsAllowed) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(8 << 20, 6);
  Bytes mine(theirs.size());
  fabric_counts before{}, after{};
  fabric_count(&before);
  const Bytes key = to_first->register_memory(theirs);
  ASSERT_FALSE(key.empty());
  fabric_count(&after);
  const bool limited = std::getenv("FABRIC_LOCKED") != nullptr;
  const std::uint64_t locked = after.registered_bytes - before.registered_bytes;
  const std::uint64_t on_demand = after.on_demand_bytes - before.on_demand_bytes;
  EXPECT_EQ(limited ? locked : on_demand, 0U);
  EXPECT_GE(limited ? on_demand : locked, theirs.size());
  Ends ends;
  ASSERT_EQ(to_second->get(remote(theirs, key), mine, ends), Access::begun);
  until([&] { return ends.count == 1; });
  EXPECT_TRUE(ends.failures.empty());
  EXPECT_TRUE(mine == theirs);
  to_first->deregister(key);
}

// What stays registered for later transfers must not take the memory that messages need.
TEST_F(Verbs, SlotsGetMemoryThatIdleRegistrationsHold) {
  const auto to_first = connect(second, 3, first);
  const char* const limit = std::getenv("FABRIC_LOCKED");
  fabric_counts before{}, after{};
  fabric_count(&before);
  const std::size_t free = limit == nullptr ? 1'000'000 : std::stoul(limit) - before.registered_bytes;
  constexpr std::size_t less_than_slots_need = 50'000;
  const Bytes kept(free - less_than_slots_need);
  to_first->deregister(to_first->register_memory(kept));
  fabric_count(&after);
  ASSERT_GT(after.registered_bytes, before.registered_bytes) << "it stays registered";
  const Bytes body = pattern(3000, 6);     // too long for the request itself
  send(*to_second, {.tag = 4}, {}, body);  // connects
  constexpr int more_than_the_first_slots = 40;
  for (int i = 0; i < more_than_the_first_slots; ++i)
    ASSERT_EQ(to_second->send({.tag = 4}, {}, body), transport::Post::done) << i;
}

// The first slots must do where no more memory can be registered. They are fewer than the messages whose ends are
// reported together.
TEST_F(Verbs, MessagesGoOnInTheFirstSlots) {
  const auto to_first = connect(second, 3, first);
  const Bytes body = pattern(3000, 6);  // too long for the request itself
  send(*to_second, {.tag = 4}, {}, body);
  until([&] { return at_second.arrivals.size() == 1; });
  const char* const limit = std::getenv("FABRIC_LOCKED");
  fabric_counts before{};
  fabric_count(&before);
  const std::size_t free = limit == nullptr ? 1'000'000 : std::stoul(limit) - before.registered_bytes;
  constexpr std::size_t less_than_slots_need = 50'000;
  const Bytes used(free - less_than_slots_need);
  const Bytes key = to_first->register_memory(used);
  constexpr std::size_t more_than_the_first_slots = 40;
  for (std::size_t i = 1; i < more_than_the_first_slots && !HasFatalFailure(); ++i)
    send(*to_second, {.tag = 4}, {}, body);
  until([&] { return at_second.arrivals.size() == more_than_the_first_slots; });
  for (const Arrival& each : at_second.arrivals) EXPECT_EQ(each.body, body);
  to_first->deregister(key);
}

TEST_F(Verbs, MemoryWithoutAKeyIsRefused) {
  Ends ends;
  Bytes mine(10);
  EXPECT_EQ(to_second->get({0x1000, {}}, mine, ends), Access::refused);
  EXPECT_EQ(to_second->put(mine, {0x1000, {}}, ends), Access::refused);
}

TEST_F(Verbs, AKeyThatHasArrivedDamagedIsNotGivenToTheAdapter) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(1000, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  for (std::size_t at = 0; at < key.size(); ++at) {
    Bytes damaged = key;
    damaged[at] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(to_second->get(remote(theirs, damaged), mine, ends)), Error) << at;
    EXPECT_THROW(static_cast<void>(to_second->put(mine, remote(theirs, damaged), ends)), Error) << at;
  }
  to_first->deregister(key);
}

TEST_F(Verbs, AccessOutsideOfRegisteredMemoryEndsTheConnectionWithASentence) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(1000, 6);
  Bytes mine(100);
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  const transport::Remote outside{reinterpret_cast<std::uintptr_t>(theirs.data()) + (1 << 20), key};
  ASSERT_EQ(to_second->get(outside, mine, ends), Access::begun);
  until([&] { return ends.count == 1; });
  ASSERT_EQ(ends.failures.size(), 1U);
  EXPECT_NE(ends.failures[0].find("rank 8 on there cannot be reached any more"), std::string::npos) << ends.failures[0];
  EXPECT_NE(ends.failures[0].find("access"), std::string::npos) << ends.failures[0];
  EXPECT_TRUE(to_second->lost());
  to_first->deregister(key);
}

/// Nothing of the last peer is under way whose completion could let its accesses go on.
TEST_F(Verbs, AnAccessThatFindsAllRequestsUsedByOtherPeersGoesOnAfterThem) {
  constexpr int peers = 44, of_each = 48;  // a device has 2048 requests, and the accesses to one peer use so many
  Ends ends;
  Collector sink;
  VerbsDevice device{adapter, 0, 1 + peers, "here"};
  std::vector<std::unique_ptr<VerbsDevice>> others;
  std::vector<std::unique_ptr<transport::Endpoint>> ways;
  for (int peer = 1; peer <= peers; ++peer) {
    others.push_back(std::make_unique<VerbsDevice>(adapter, peer, 1 + peers, "there"));
    ways.push_back(connect(device, peer, *others.back()));
  }
  const auto poll_until = [&](auto condition) {
    until([&] {
      device.poll(sink);
      return condition();
    });
  };
  poll_until([&] {
    for (const auto& each : others) each->poll(sink);
    return std::ranges::all_of(ways, [](const auto& each) { return each->connected(); });
  });
  const Bytes theirs = pattern(100, 6);
  Bytes mine(theirs.size());
  Adapter::Region& region = adapter.acquire(theirs);
  const Bytes key = write_key(region);
  for (const auto& each : ways) {
    for (int i = 0; i < of_each; ++i) ASSERT_EQ(each->get(remote(theirs, key), mine, ends), Access::begun);
  }
  poll_until([&] { return ends.count == peers * of_each; });
  EXPECT_TRUE(ends.failures.empty());
  EXPECT_EQ(mine, theirs);
  adapter.release(region);
}

TEST_F(Verbs, AFlushEndsAfterWhatWasPut) {
  const auto to_first = connect(second, 3, first);
  Bytes place(2 << 20);
  const Bytes key = to_first->register_window(place);
  const auto memory = to_second->open_memory(key);
  const Bytes data = pattern(place.size(), 9);
  Ends ends, flushed;
  EXPECT_EQ(to_second->flush(flushed), Access::done);
  ASSERT_EQ(memory->put(data, reinterpret_cast<std::uintptr_t>(place.data()), ends), Access::begun);
  ASSERT_EQ(to_second->flush(flushed), Access::begun);
  until([&] { return flushed.count == 1; });
  EXPECT_EQ(ends.count, 1);
  EXPECT_TRUE(place == data);
  to_first->deregister(key);
}

TEST_F(Verbs, AtomicOperationsOnOneNumberAreExecutedInOrder) {
  const auto to_first = connect(second, 3, first);
  alignas(8) std::uint64_t number = 40;
  const Bytes key = to_first->register_window(std::as_bytes(std::span(&number, 1)));
  const auto memory = to_second->open_memory(key);
  const auto place = reinterpret_cast<std::uintptr_t>(&number);
  Ends ends;
  std::array<std::uint64_t, 7> old{};
  const auto update = [&](std::size_t i, transport::AtomicKind kind, std::uint64_t operand, std::uint64_t compare = 0) {
    ASSERT_EQ(memory->atomic({.kind = kind, .bytes = 8, .operand = operand, .compare = compare}, place, &old[i], ends),
              Access::begun);
  };
  update(0, transport::AtomicKind::add, 2);
  update(1, transport::AtomicKind::swap, 12);
  update(2, transport::AtomicKind::bit_or, 3);
  update(3, transport::AtomicKind::bit_and, 9);
  update(4, transport::AtomicKind::bit_xor, 8);
  update(5, transport::AtomicKind::compare_swap, 77, 1);
  update(6, transport::AtomicKind::compare_swap, 88, 1);
  until([&] { return ends.count == 7; });
  EXPECT_EQ(old, (std::array<std::uint64_t, 7>{40, 42, 12, 15, 9, 1, 77}));
  EXPECT_EQ(number, 77U);
  EXPECT_TRUE(ends.failures.empty());
  EXPECT_THROW(static_cast<void>(memory->atomic(
                   {.kind = transport::AtomicKind::add, .bytes = 4, .operand = 1, .compare = 0}, place, nullptr, ends)),
               Error);
  to_first->deregister(key);
}

TEST_F(Verbs, ADeviceReachesItself) {
  const auto own = connect(first, 3, first);
  send(*own, {.tag = 5}, {}, {});
  const Bytes theirs = pattern(20'000, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = own->register_memory(theirs);
  ASSERT_EQ(own->get(remote(theirs, key), mine, ends), Access::begun);
  until([&] { return ends.count == 1 && !at_first.arrivals.empty(); });
  EXPECT_EQ(mine, theirs);
  EXPECT_EQ(at_first.arrivals[0].peer, 3);
  own->deregister(key);
}

}  // namespace
}  // namespace bowline::verbs
