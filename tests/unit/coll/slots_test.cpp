// SPDX-License-Identifier: BSD-3-Clause
// coll/slots and the algorithms through them, with real threads as members: many operations in a row, of which no
// member waits for the others longer than it must, so that slots are used again while somebody may still read them.
#include "coll/slots/slots.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "predefined_handles.hpp"
#include "slot_channel.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t slot_bytes = SlotChannel::slot_bytes;

/// One thread's channel: waits for flags by looking again and again.
class ThreadChannel final : public SlotChannel {
 public:
  using SlotChannel::SlotChannel;

  /// Every other operation goes as far as it can before its task is there, and of those every other one looks for flags
  /// for a while; of each operation, one member does and the next one does not.
  void carry_out(Run algorithm, const Arguments& arguments) {
    const std::uint64_t kind = (number() + static_cast<std::uint64_t>(rank())) % 4;
    begin(kind % 2 != 0, kind == 3 ? 100 : 0);
    Task task = algorithm(*this, arguments);
    task.start();
    while (!task.done()) {
      for (int spins = 0; !may_go_on(); ++spins) {
        if (spins % 256 == 255) std::this_thread::yield();
      }
      go_on();
    }
    task.result();
    end_slots();
  }
};

/// What all members do, from the same random numbers.
struct Step {
  Operation operation;
  int root;
  std::size_t count;
};

using Values = std::vector<std::int64_t>;

class Thread {
 public:
  Thread(std::span<std::byte> shared, int rank, int size)
      : channel_(shared, rank, size), sum_(predefined(mpi_sum, mpi_int64)) {}

  /// Element i of what a member contributes to the operation with this number.
  static std::int64_t value(int operation, int member, std::size_t i) {
    return operation * 1'000'003 + member * 1009 + static_cast<std::int64_t>(i);
  }

  static Run pick(int operation, std::initializer_list<Run> algorithms) {
    return algorithms.begin()[static_cast<std::size_t>(operation) % algorithms.size()];
  }

  void carry_out(const Step& step, int operation) {
    const int rank = channel_.rank(), size = channel_.size();
    Values in(step.count), out(step.count * static_cast<std::size_t>(size), -1), expected = out, given = out;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(operation, rank, i);
    const auto input = std::as_bytes(std::span(in));
    const auto all = std::as_writable_bytes(std::span(out));
    const auto own = all.first(input.size());
    Arguments arguments{.root = step.root, .input = input, .result = own, .reduction = &sum_};
    Run algorithm = nullptr;
    const auto sum_in = [&](std::size_t to, std::size_t from, std::size_t count, int members) {
      for (std::size_t i = 0; i < count; ++i) {
        expected[to + i] = 0;
        for (int member = 0; member < members; ++member) expected[to + i] += value(operation, member, from + i);
      }
    };
    switch (step.operation) {
      case Operation::barrier:
        algorithm = operation % 2 == 0 ? barrier_flags : barrier_groups;
        break;
      case Operation::bcast:
        algorithm = operation % 2 == 0 ? bcast_slots : bcast_single_copy;
        if (rank == step.root) std::ranges::copy(in, out.begin());
        for (std::size_t i = 0; i < step.count; ++i) expected[i] = value(operation, step.root, i);
        break;
      case Operation::reduce:
        algorithm = pick(operation, {reduce_slots, reduce_shares, reduce_single_copy});
        if (rank == step.root) sum_in(0, 0, step.count, size);
        break;
      case Operation::scan:
        algorithm = operation % 2 == 0 ? scan_slots : scan_single_copy;
        sum_in(0, 0, step.count, rank + 1);
        break;
      case Operation::gather:
        algorithm = operation % 2 == 0 ? gather_slots : gather_single_copy;
        arguments.receive = Blocks(all.data(), input.size());
        for (std::size_t i = 0; rank == step.root && i < expected.size(); ++i)
          expected[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        break;
      case Operation::scatter:
        algorithm = operation % 2 == 0 ? scatter_slots : scatter_single_copy;
        for (std::size_t i = 0; i < given.size(); ++i)
          given[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        arguments.send = Blocks(std::as_writable_bytes(std::span(given)).data(), input.size());
        for (std::size_t i = 0; i < step.count; ++i) expected[i] = value(operation, rank, i);
        break;
      case Operation::allgather:
        algorithm = allgather_slots;
        arguments.receive = Blocks(all.data(), input.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        break;
      default:
        algorithm = pick(operation, {allreduce_slots, allreduce_shares, allreduce_groups});
        sum_in(0, 0, step.count, size);
    }
    channel_.carry_out(algorithm, arguments);
    ASSERT_EQ(out, expected) << name_of(step.operation) << " number " << operation << " at member " << rank;
  }

 private:
  ThreadChannel channel_;
  Reduction sum_;
};

TEST(ThreadsSlots, ManyOperationsInARowGiveWhatTheyShould) {
  constexpr Operation kinds[] = {Operation::barrier, Operation::bcast,     Operation::reduce, Operation::allreduce,
                                 Operation::scan,    Operation::allgather, Operation::gather, Operation::scatter};
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : {2, 3, 5}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      std::vector<Line> lines(SlotMemory::bytes_for(size, slot_bytes) / sizeof(Line));
      const std::span shared(lines.front().bytes, lines.size() * sizeof(Line));
      const auto member = [&](int rank) {
        Thread thread(shared, rank, size);
        std::mt19937 random(seed);
        for (int operation = 0; operation < 40 && !testing::Test::HasFatalFailure(); ++operation) {
          // Roots of their own kind in rows, which may run ahead, and lengths of inline data, of one round and of many.
          const Step step{kinds[random() % std::size(kinds)], static_cast<int>(random() % static_cast<unsigned>(size)),
                          std::size_t{1} << (random() % 11)};
          const int times = 1 + static_cast<int>(random() % 6);
          for (int time = 0; time < times; ++time) thread.carry_out(step, operation);
        }
      };
      std::vector<std::thread> threads;
      for (int rank = 1; rank < size; ++rank) threads.emplace_back(member, rank);
      member(0);
      for (std::thread& thread : threads) thread.join();
    }
  }
}

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
