// SPDX-License-Identifier: BSD-3-Clause
// What a window over a million ranks costs a process before its first operation, beside its communicator.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <vector>

#include "comm/communicators.hpp"
#include "proto/lanes.hpp"
#include "recording.hpp"
#include "rma/messages/origins.hpp"
#include "rma/node_memory.hpp"
#include "rma/target.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

constexpr int ranks = 1'000'000;

/// Bytes that malloc has given out. AddressSanitizer's malloc does not count them and returns 0.
std::size_t allocated() {
  return mallinfo2().uordblks;
}

TEST(WindowMemory, AMillionRanksCostLessThanAPage) {
  proto::RecordingDevice device;
  OwnerLock lock;
  proto::Lanes lanes;
  proto::Engine engine(
      2, [&](int rank) { return device.connect(rank, {}); }, WaitPolicy{}, lock, &lanes);
  const comm::Communicator own("", {.index = comm::IndexSpace::self}, engine, comm::Group::sequence(0, 1, ranks), 0,
                               false);
  const std::size_t before = allocated();
  NodeMemory node(engine, {0}, {0}, 0);
  node.make_private({.shared = false, .descriptions = ranks}, MemberFacts{});
  node.enter(MemberFacts{});
  const std::size_t heap = allocated() - before;
  EXPECT_LT(node.bytes(), 512U);
  EXPECT_LT(heap + sizeof node + sizeof(Window) + sizeof(Origins), 4096U)
      << heap << " allocated, a window of " << sizeof(Window) << ", origins of " << sizeof(Origins);
}

TEST(WindowMemory, ATargetCostsLittle) {
  EXPECT_LE(sizeof(Target), 320U);
}

}  // namespace
}  // namespace bowline::rma
