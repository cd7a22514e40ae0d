// SPDX-License-Identifier: BSD-3-Clause
// verbs: two adapters of each process, over which long transfers are striped.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "support/fabric/fabric_control.hpp"
#include "transport/striping/striped_device.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

/// Read when the first device is listed.
const int two_devices = setenv("FABRIC_DEVICES", "2", 1);

constexpr std::size_t from = 100'000;

/// Makes devices of two adapters.
struct TwoAdapters {
  using Device = transport::StripedDevice;
  Device device(int rank, int processes, const char* host) {
    std::vector<std::unique_ptr<transport::Device>> rails;
    rails.push_back(std::make_unique<VerbsDevice>(first, rank, processes, host));
    rails.push_back(std::make_unique<VerbsDevice>(second, rank, processes, host));
    return {std::move(rails), transport::StripingLimits{.from = from}};
  }
  std::vector<Port> ports = survey_ports();
  Adapter first{ports.at(0), Role::everything, 2};
  Adapter second{ports.at(1), Role::transfers, 2};
};

class StripedVerbs : public test::NetworkBehaviour<TwoAdapters> {
 protected:
  std::unique_ptr<transport::Endpoint> to_first = connect(second, 3, first);
  Bytes theirs = pattern(1 << 20, 6);
  Bytes key = to_first->register_memory(theirs);
  Ends ends;
  int begun = 0;
  fabric_counts at_start = counts();

  ~StripedVerbs() override { to_first->deregister(key); }

  void begin_get(Bytes& mine) {
    const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()), key};
    ASSERT_EQ(to_second->get(source, mine, ends), Access::begun);
    ++begun;
  }
  void get() {
    Bytes mine(theirs.size());
    begin_get(mine);
    until([&] { return ends.count == begun; });
    EXPECT_TRUE(ends.failures.empty());
    EXPECT_TRUE(mine == theirs);
  }
  static fabric_counts counts() {
    fabric_counts now{};
    fabric_count(&now);
    return now;
  }
  /// Bytes that an adapter has transferred in this test.
  std::uint64_t transferred(int device) const { return counts().transferred[device] - at_start.transferred[device]; }
  /// Gets until the second adapter has carried something.
  void get_until_striped() {
    until([&] {
      get();
      return transferred(1) > 0;
    });
  }
};

TEST_F(StripedVerbs, BehavesAsANetwork) {
  a_message_arrives_as_it_was_sent();
  a_process_of_another_job_knows_this_one_by_another_index();
}

TEST_F(StripedVerbs, ASleeperHearsOfAMessage) {
  a_sleeper_hears_of_a_message();
}

TEST_F(StripedVerbs, AnAddressThatHasArrivedDamagedIsRefused) {
  const transport::Address whole = second.address();
  for (std::size_t at = whole.size() / 2 + 20; at < whole.size(); ++at) {
    transport::Address damaged = whole;
    damaged[at] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(first.connect(7, damaged)), Error) << at;
  }
}

TEST_F(StripedVerbs, HalfOfALongTransferGoesOverTheSecondAdapter) {
  EXPECT_EQ(transferred(1), 0U);
  get_until_striped();
  const std::uint64_t before0 = transferred(0), before1 = transferred(1);
  get();
  EXPECT_EQ(transferred(0) - before0, theirs.size() / 2);
  EXPECT_EQ(transferred(1) - before1, theirs.size() / 2);
}

TEST_F(StripedVerbs, ASleeperHearsOfTheEndOfAPartOnTheSecondAdapter) {
  get_until_striped();
  fabric_link_down(1, 1, 300);
  Bytes mine(theirs.size());
  begin_get(mine);
  const auto deadline = Clock::now() + patience;
  while (ends.count < begun && Clock::now() < deadline) {
    second.poll(at_second);
    pollfd descriptor{first.descriptor(), POLLIN, 0};
    if (!first.ready()) {
      ASSERT_EQ(::poll(&descriptor, 1, 10'000), 1) << "not woken";
    }
    first.poll(at_first);
  }
  EXPECT_EQ(ends.count, begun);
  EXPECT_TRUE(mine == theirs);
}

TEST_F(StripedVerbs, ASecondAdapterThatFailsForALittleWhileIsUsedAgain) {
  get_until_striped();
  fabric_link_down(1, 1, 1200);
  get();
  until([&] {
    const std::uint64_t before = transferred(1);
    get();
    return transferred(1) > before;
  });
}

TEST_F(StripedVerbs, WhatASecondAdapterThatFailsForGoodHasCarriedGoesOverTheFirst) {
  get_until_striped();
  fabric_link_down(1, 1, -1);
  Bytes mine(theirs.size());
  begin_get(mine);
  send(*to_second, {.tag = 5}, {}, {});
  until([&] { return ends.count == begun; });
  EXPECT_TRUE(ends.failures.empty());
  EXPECT_TRUE(mine == theirs);
  EXPECT_FALSE(to_second->lost());
  EXPECT_EQ(first.lost_peers(), 0U);
  fabric_link_down(1, 1, 0);
  const std::uint64_t before = transferred(1);
  get();
  EXPECT_EQ(transferred(1), before) << "it was declared failed";
  EXPECT_EQ(at_second.arrivals.size(), 1U);
}

TEST_F(StripedVerbs, NothingWaitsForAPeerToAnswerOnItsSecondAdapter) {
  send(*to_second, {}, {}, {});  // the first adapters are connected
  const auto deadline = Clock::now() + patience;
  for (int i = 0; i < 20; ++i) {
    Bytes mine(theirs.size());
    begin_get(mine);
    while (ends.count < begun && Clock::now() < deadline) first.poll(at_first);  // the peer polls nothing
    ASSERT_EQ(ends.count, begun);
    ASSERT_TRUE(mine == theirs);
  }
  EXPECT_EQ(transferred(1), 0U);
  get_until_striped();
}

TEST_F(StripedVerbs, AnAdapterForTransfersHasFewBuffers) {
  const auto registered_by = [](Adapter& adapter) {
    fabric_counts before{}, after{};
    fabric_count(&before);
    const VerbsDevice device(adapter, 6, 9, "here");
    fabric_count(&after);
    return after.registered_bytes - before.registered_bytes;
  };
  EXPECT_GT(registered_by(network.first), 1'000'000U);
  EXPECT_LT(registered_by(network.second), 200'000U);
}

TEST_F(StripedVerbs, AProcessWithOneAdapterIsAPeerLikeAnyOther) {
  VerbsDevice single(network.first, 5, 9, "elsewhere");
  Collector at_single;
  const auto to_single = first.connect(5, single.address());
  const auto back = single.connect(3, first.address());
  const Bytes own = pattern(1 << 20, 8);
  const Bytes own_key = back->register_memory(own), first_key = to_single->register_memory(theirs);
  Bytes got(own.size()), got_back(theirs.size());
  Ends both;
  ASSERT_EQ(to_single->get({reinterpret_cast<std::uintptr_t>(own.data()), own_key}, got, both), Access::begun);
  ASSERT_EQ(back->get({reinterpret_cast<std::uintptr_t>(theirs.data()), first_key}, got_back, both), Access::begun);
  until([&] {
    single.poll(at_single);
    return both.count == 2;
  });
  EXPECT_TRUE(both.failures.empty());
  EXPECT_TRUE(got == own && got_back == theirs);
  EXPECT_EQ(transferred(1), 0U);
  back->deregister(own_key);
  to_single->deregister(first_key);
}

}  // namespace
}  // namespace bowline::verbs
