// SPDX-License-Identifier: BSD-3-Clause
// coll/rounds: two members of one memory in one thread, so that who comes first is known.
#include "coll/slots/rounds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/task.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "predefined_handles.hpp"
#include "slot_channel.hpp"

namespace bowline::coll {
namespace {

/// The sum of an int of each of two members.
class Rounds : public testing::Test {
 protected:
  Task begin(SlotChannel& member, bool at_once) {
    member.begin(at_once, 0);
    const auto rank = static_cast<std::size_t>(member.rank());
    arguments_[rank] = {.input = std::as_bytes(std::span(&operands_[rank], 1)),
                        .result = std::as_writable_bytes(std::span(&sums[rank], 1)),
                        .reduction = &sum_};
    return allreduce_slots(member, arguments_[rank]);
  }

  std::array<int, 2> sums{};

 private:
  std::vector<Line> lines_{SlotMemory::bytes_for(2, SlotChannel::slot_bytes) / sizeof(Line)};
  std::span<std::byte> shared_{lines_.front().bytes, lines_.size() * sizeof(Line)};
  const std::array<int, 2> operands_{3, 4};
  const Reduction sum_ = predefined(mpi_sum, mpi_int);
  std::array<Arguments, 2> arguments_;

 protected:
  SlotChannel first{shared_, 0, 2};
  SlotChannel second{shared_, 1, 2};
};

TEST_F(Rounds, WhoComesLastNeedsNoFrame) {
  FramePool::trim();
  Task waiting = begin(first, true);
  EXPECT_FALSE(waiting.done());
  waiting.start();
  EXPECT_TRUE(first.waits());
  EXPECT_EQ(FramePool::taken().frames, 1U);
  const Task done = begin(second, true);
  EXPECT_TRUE(done.done());
  EXPECT_EQ(sums[1], 7);
  EXPECT_EQ(FramePool::taken().frames, 1U);
  ASSERT_TRUE(first.may_go_on());
  first.go_on();
  EXPECT_TRUE(waiting.done());
  EXPECT_EQ(sums[0], 7);
}

TEST_F(Rounds, AtOnceAMemberTellsBeforeItIsStarted) {
  const Task waiting = begin(first, true);
  EXPECT_TRUE(second.begin(true, 0).has_reached(0, 1));
}

TEST_F(Rounds, OtherwiseItDoesNothingBeforeItIsStarted) {
  Task waiting = begin(first, false);
  Slots& slots = second.begin(true, 0);
  EXPECT_FALSE(slots.has_reached(0, 1));
  waiting.start();
  EXPECT_TRUE(slots.has_reached(0, 1));
  EXPECT_FALSE(waiting.done());
}

TEST_F(Rounds, LengthsAreComparedWithoutAFrame) {
  Task waiting = begin(first, true);
  waiting.start();
  Slots& slots = second.begin(true, 0);
  slots.compare_bytes(8);
  EXPECT_TRUE(slots.has_reached(0, 1));  // which tells none
  first.slots().compare_bytes(4);
  first.slots().publish(2);
  EXPECT_THROW(slots.has_reached(0, 2), Error);
}

}  // namespace
}  // namespace bowline::coll
