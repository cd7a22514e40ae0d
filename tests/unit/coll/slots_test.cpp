// SPDX-License-Identifier: BSD-3-Clause
// coll/slots: when a member may use slots again, who is woken, what a member sees of the others, and what each does
// where memory is missing or another one executes another call.
#include "coll/slots/slots.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "slot_channel.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t slot_bytes = SlotChannel::slot_bytes;

/// Ends operations in an order of its own.
class Manual final : private SlotHost {
 public:
  Manual(std::span<std::byte> shared, int rank, int members = 2) : memory(shared, rank, members, slot_bytes, *this) {}
  SlotMemory memory;
  std::vector<std::span<std::byte>> backed;
  std::vector<int> woken;
  bool has_memory = true;

 private:
  void watch(proto::Watch&, int) override {}
  void wake(int member) noexcept override { woken.push_back(member); }
  void back(std::span<std::byte> part) override {
    if (!has_memory) throw Error(ErrorClass::no_mem, "there is none");
    backed.push_back(part);
  }
};

/// Two members of one memory.
struct Two {
  std::vector<Line> lines{SlotMemory::bytes_for(2, slot_bytes) / sizeof(Line)};
  std::span<std::byte> shared{lines.front().bytes, lines.size() * sizeof(Line)};
  Manual a{shared, 0};
  Manual b{shared, 1};

  /// Both are through with the first `operations`.
  void end(std::uint64_t operations) {
    for (std::uint64_t number = 0; number < operations; ++number) {
      a.memory.end(number);
      b.memory.end(number);
    }
  }
};

TEST(Slots, ATurnIsVacantWhenAllAreThroughWithTheOperationBeforeItAndWithThoseBeforeThat) {
  for (const std::uint64_t sets : {SlotMemory::slot_sets, SlotMemory::line_sets_for(2)}) {
    Two members;
    Manual &a = members.a, &b = members.b;
    for (std::uint64_t number = 0; number < sets; ++number) EXPECT_TRUE(a.memory.vacant(number, sets));
    EXPECT_FALSE(a.memory.vacant(sets, sets));
    a.memory.end(1);  // out of order: 0 is still under way
    b.memory.end(0);
    EXPECT_FALSE(a.memory.vacant(sets, sets));
    EXPECT_EQ(a.memory.last_in(sets, sets), 0);
    a.memory.end(0);
    EXPECT_TRUE(a.memory.vacant(sets, sets));
    EXPECT_FALSE(a.memory.vacant(sets + 1, sets));
    EXPECT_EQ(a.memory.last_in(sets + 1, sets), 1);
    b.memory.end(1);
    EXPECT_TRUE(a.memory.vacant(sets + 1, sets));
    EXPECT_TRUE(b.memory.vacant(sets + 1, sets));
  }
}

TEST(Slots, MemoryIsFreeWhenAllHaveCompletedAsManyOperationsAndNobodySleeps) {
  Two members;
  Manual &a = members.a, &b = members.b;
  EXPECT_TRUE(SlotMemory::is_free(members.shared)) << "no operation has begun";
  a.memory.end(0);
  EXPECT_TRUE(a.memory.has_completed(1));
  EXPECT_FALSE(SlotMemory::is_free(members.shared)) << "the other one is in the operation";
  b.memory.end(1);
  EXPECT_FALSE(b.memory.has_completed(1)) << "operation 0 is under way";
  EXPECT_FALSE(SlotMemory::is_free(members.shared));
  b.memory.end(0);
  EXPECT_FALSE(b.memory.has_completed(1)) << "there is a later one";
  a.memory.end(1);
  EXPECT_TRUE(SlotMemory::is_free(members.shared));
  a.memory.notice().put_up();
  EXPECT_FALSE(SlotMemory::is_free(members.shared)) << "a member looks again before it sleeps";
}

TEST(Slots, EachOfManyMembersThatSleepIsWoken) {
  constexpr int members = SlotMemory::max_members;
  std::vector<Line> lines(SlotMemory::bytes_for(members, slot_bytes) / sizeof(Line));
  const std::span<std::byte> shared(lines.front().bytes, lines.size() * sizeof(Line));
  const std::vector<int> asleep{1, 255, 256, members - 1};
  for (const int each : asleep) Manual(shared, each, members).memory.notice().put_up();
  Manual waker(shared, 0, members);
  waker.memory.wake_sleepers();
  EXPECT_EQ(waker.woken, asleep);
}

TEST(Slots, AMemberMayEndAllOperationsButTheFirstAndThenThat) {
  Two members;
  Manual& a = members.a;
  const std::uint64_t sets = a.memory.line_sets();
  for (std::uint64_t first = 0; first < 3 * sets; first += sets) {  // each time in the same sets
    for (std::uint64_t number = first + sets - 1; number > first; --number) a.memory.end(number);
    EXPECT_EQ(a.memory.completed(0), first);
    a.memory.end(first);
    EXPECT_EQ(a.memory.completed(0), first + sets);
  }
}

TEST(Slots, AMemberThatIsNotifiedKnowsHowManyOperationsTheOtherHasCompleted) {
  Two members;
  Manual &a = members.a, &b = members.b;
  members.end(3);
  Slots waiting(a.memory, 3, {}, 0), notifying(b.memory, 3, {}, 0);
  auto flag = waiting.notified(1, 1);
  EXPECT_FALSE(flag.await_ready());
  notifying.tell_bytes(0, 17);
  notifying.notify(0, 1);
  EXPECT_TRUE(flag.await_ready());
  flag.await_resume();
  EXPECT_EQ(waiting.bytes_of(0), 17U);
  EXPECT_TRUE(a.memory.vacant(6, SlotMemory::slot_sets));
}

TEST(Slots, AMemberSeesWhenAnotherOneHasBegunAnOperation) {
  Two members;
  Slots mine(members.a.memory, 0, {}, 0), theirs(members.b.memory, 0, {}, 0);
  auto begun = mine.begun_by(1);
  EXPECT_FALSE(begun.await_ready());
  theirs.begin();
  EXPECT_TRUE(begun.await_ready());
  begun.await_resume();
}

TEST(Slots, OperationsThatBeginInAnotherOrderAreBegun) {
  Two members;
  SlotMemory& memory = members.a.memory;
  memory.begin(2);
  memory.begin(0);
  EXPECT_EQ(memory.begun(0), 3U);
}

TEST(Slots, APlanIsForOneOperation) {
  Two members;
  Slots mine(members.a.memory, 0, {}, 0), theirs(members.b.memory, 0, {}, 0);
  theirs.begin_with_plan(5);
  EXPECT_TRUE(mine.planned_by(1, 5));
  EXPECT_FALSE(mine.planned_by(1, 6));
  EXPECT_FALSE(mine.planned_by(1, 0)) << "this is a plan, too";
  const Slots next(members.a.memory, 1, {}, 0);
  EXPECT_FALSE(next.planned_by(1, 5));
}

TEST(Slots, APlanIsSeenByAMemberThatLooksLate) {
  Two members;
  SlotMemory &a = members.a.memory, &b = members.b.memory;
  b.begin_with_plan(0, 5);
  b.begin(1);
  b.begin_with_plan(2, 6);  // now it waits until the other one has begun operation 2, too
  EXPECT_TRUE(a.plans(1, 0, 5));
  EXPECT_TRUE(a.plans(1, 2, 6));
  b.begin_with_plan(3, 7);
  EXPECT_TRUE(a.plans(1, 2, 6));
  EXPECT_FALSE(a.plans(1, 0, 5));
}

TEST(Slots, OperationsThatWriteInlineDataOnlyWaitLaterThanOthers) {
  Two members;
  Manual& a = members.a;
  Slots slots(a.memory, SlotMemory::slot_sets, {}, 0);
  EXPECT_FALSE(slots.vacant());
  EXPECT_TRUE(slots.vacant(Writes::inline_data));
}

TEST(Slots, WhatAMemberWritesIsBackedOnceInEachSet) {
  Two members;
  Manual& b = members.b;
  const auto write = [&](std::uint64_t number, Writes writes) {
    b.backed.clear();
    EXPECT_TRUE(Slots(b.memory, number, {}, 0).vacant(writes));
    members.a.memory.end(number);
    return b.backed.size();
  };
  const auto is_backed = [&](const std::byte* begin, std::size_t bytes) {
    return b.backed.front().data() == begin && b.backed.front().size() == bytes;
  };
  std::uint64_t number = 0;
  for (; number < SlotMemory::slot_sets; ++number) EXPECT_EQ(write(number, Writes::inline_data), 0U);
  for (const std::uint64_t end = number + SlotMemory::slot_sets; number < end; ++number) {
    ASSERT_EQ(write(number, Writes::own_slot), 1U);
    EXPECT_TRUE(is_backed(b.memory.slot(number, 1), slot_bytes));
  }
  for (const std::uint64_t end = number + SlotMemory::slot_sets; number < end; ++number)
    EXPECT_EQ(write(number, Writes::own_slot), 0U);
  for (const std::uint64_t end = number + SlotMemory::slot_sets; number < end; ++number) {
    ASSERT_EQ(write(number, Writes::all_slots), 1U);
    EXPECT_TRUE(is_backed(b.memory.slot(number, 0), 2 * slot_bytes));
  }
  for (const Writes less : {Writes::inline_data, Writes::own_slot, Writes::all_slots}) {
    for (const std::uint64_t end = number + SlotMemory::slot_sets; number < end; ++number)
      EXPECT_EQ(write(number, less), 0U);
  }
}

TEST(Slots, WhereAMemberGetsNoMemoryOthersFailTooAndMayTryAgainInTheNextOperation) {
  Two members;
  Manual &a = members.a, &b = members.b;
  b.has_memory = false;
  {
    Slots there(a.memory, 0, {}, 0), here(b.memory, 0, {}, 0);
    auto flag = there.reached(1, 1);
    EXPECT_FALSE(flag.await_ready());
    EXPECT_FALSE(there.has_reached(1, 1));
    EXPECT_THROW(here.vacant(), Error);
    EXPECT_TRUE(flag.await_ready());
    EXPECT_THROW(flag.await_resume(), Error);
    EXPECT_THROW(there.has_reached(1, 1), Error);
    EXPECT_THROW(here.has_reached(0, 1), Error) << "who waits for the one that has waited fails as well";
  }
  b.has_memory = true;
  for (std::uint64_t number = 1; number <= SlotMemory::slot_sets; ++number) {
    const Slots there(a.memory, number, {}, 0);
    EXPECT_TRUE(Slots(b.memory, number, {}, 0).vacant());
    EXPECT_EQ(b.backed.size(), number);
  }
}

TEST(Slots, WhoWaitsToBeCalledFailsIfTheCallerGetsNoMemoryForAllSlots) {
  Two members;
  Manual &a = members.a, &b = members.b;
  b.has_memory = false;
  Slots there(a.memory, 0, {}, 0), here(b.memory, 0, {}, 0);
  auto call = there.notified(1, 1);
  EXPECT_FALSE(there.was_notified(1, 1));
  EXPECT_THROW(here.vacant(Writes::all_slots), Error);
  EXPECT_TRUE(call.await_ready());
  EXPECT_THROW(call.await_resume(), Error);
  EXPECT_THROW(there.was_notified(1, 1), Error);
}

TEST(Slots, WhoGivesUpLetsOthersGoOn) {
  Two members;
  Slots there(members.a.memory, 0, {}, 0), here(members.b.memory, 0, {}, 0);
  here.abandon();
  EXPECT_TRUE(there.has_reached(1, 5));
  EXPECT_TRUE(there.abandoned(1));
}

TEST(Slots, AMemberNoticesThatAnotherOneExecutesAnotherCall) {
  constexpr CallKind of_barrier(Operation::barrier, CallForm::blocking);
  constexpr CallId barrier(of_barrier, {}, 7, 0), later(of_barrier, {}, 8, 0), otherwise(of_barrier, {}, 7, 1);
  constexpr CallId bcast({Operation::bcast, CallForm::blocking}, {}, 7, 0);
  constexpr CallDetails sum{.root = 1, .op = dtype::Operator::sum, .type = dtype::Signature::integer32};
  const auto reduce = [](CallDetails details) {
    return CallId({Operation::reduce, CallForm::blocking}, details, 7, 0);
  };
  const auto error_of = [](CallId mine, CallId theirs) -> std::string {
    Two members;
    Slots here(members.a.memory, 0, mine, 0), there(members.b.memory, 0, theirs, 0);
    there.publish(1);
    try {
      EXPECT_TRUE(here.has_reached(1, 1));
      return "";
    } catch (const Error& error) {
      EXPECT_THROW(static_cast<void>(there.has_reached(0, 1)), Error) << "it has failed, too";
      return error.what();
    }
  };
  EXPECT_EQ(error_of(barrier, barrier), "");
  const auto says = [&](CallId mine, CallId theirs, const char* words) {
    const std::string error = error_of(mine, theirs);
    EXPECT_NE(error.find(words), std::string::npos) << words << " is not in: " << error;
  };
  says(barrier, bcast, "rank 1 of the communicator calls MPI_Bcast where this process calls MPI_Barrier");
  says(barrier, later, "calls MPI_Barrier, as this process does, but has called another number of collectives before");
  says(barrier, otherwise, "has called other collectives before");
  CallDetails other = sum;
  other.root = 0;
  says(reduce(sum), reduce(other), "gives the root 0 where this process gives 1");
  other = sum;
  other.op = dtype::Operator::max;
  says(reduce(sum), reduce(other), "gives MPI_MAX where this process gives MPI_SUM");
  other = sum;
  other.type = dtype::Signature::real32;
  says(reduce(sum), reduce(other), "gives 32-bit reals where this process gives 32-bit integers");
  other.type = dtype::Signature::any;
  EXPECT_EQ(error_of(reduce(sum), reduce(other)), "");
}

TEST(Slots, ACallOfALaterOperationInTheSameLineIsNotCompared) {
  Two members;
  const std::uint64_t sets = members.a.memory.line_sets();
  Slots here(members.a.memory, 0, CallId({Operation::bcast, CallForm::blocking}, {}, 1, 0), 0);
  Slots there(members.b.memory, sets, CallId({Operation::barrier, CallForm::blocking}, {}, 1, 0), 0);
  there.publish(1);
  EXPECT_TRUE(here.has_reached(1, 1));
}

TEST(Slots, AMemberThatHasCompletedAnOperationSetsNoMoreFlagsInIt) {
  Two members;
  SlotMemory &a = members.a.memory, &b = members.b.memory;
  const std::atomic<std::uint64_t>& flag = a.lines(0)[1].flag;
  const std::uint64_t value = SlotMemory::flag_value(0, 1);
  EXPECT_FALSE(a.completed_without(1, flag, value));
  b.end(0);
  EXPECT_TRUE(a.completed_without(1, flag, value));
  EXPECT_FALSE(a.completed_without(1, a.lines(1)[1].flag, SlotMemory::flag_value(1, 1)));
  EXPECT_FALSE(a.completed_without(1, a.completed(1), 2)) << "not a flag";
  b.publish(0, b.lines(0)[1], 1, 0);
  EXPECT_FALSE(a.completed_without(1, flag, value));
}

TEST(Slots, AFlagThatIsSeenTellsWhatItsOwnerIsThroughWith) {
  Two members;
  Manual &a = members.a, &b = members.b;
  members.end(3);
  b.memory.publish(3, b.memory.lines(3)[1], 1, 0);
  Slots slots(a.memory, 3, {}, 0);
  auto flag = slots.reached(1, 1);
  EXPECT_TRUE(flag.await_ready());
  auto later = slots.reached(1, 2);
  EXPECT_FALSE(later.await_ready());
  flag.await_resume();
  EXPECT_TRUE(a.memory.vacant(6, SlotMemory::slot_sets));
}

}  // namespace
}  // namespace bowline::coll
