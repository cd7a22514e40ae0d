// SPDX-License-Identifier: BSD-3-Clause
// rma: memory that members have mapped, between the calls that synchronize them. What was put before is what others
// find after.
#include "rma/paths/word_atomics.hpp"
#include "rma/synchronization/complete_stores.hpp"
#include "slot_team.hpp"

namespace bowline::rma {
namespace {

using coll::ModelMember;
using coll::ModelTeam;

/// MPI_Win_fence: each member puts to its right neighbour in every second epoch, and looks at its own memory in the
/// others. The barrier is coll::barrier_flags.
template <int members>
struct Fenced : model::Suite<Fenced<members>, members> {
  ModelTeam<members> team;
  std::array<model::Plain<unsigned>, members> memory;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    for (unsigned epoch = 1; epoch <= 2; ++epoch) {
      memory[(rank + 1) % members].set(10 * epoch + rank);
      fence(me);
      RL_ASSERT(memory[rank].get() == 10 * epoch + (rank + members - 1) % members);
      fence(me);
    }
  }
  static void fence(ModelMember& me) {
    complete_stores();
    coll::Slots slots = me.next();
    me.finish(coll::travel(
        coll::RoundTrip(slots, slots.rank(), {.sources = {members - 1}, .writes = coll::Writes::inline_data},
                        coll::RoundWork()),
        false));
  }
};

class WindowMemory : public coll::SlotModel {};

TEST_F(WindowMemory, HoldsAfterAFenceWhatWasPutBefore) {
  model::explore<Fenced<2>>(10'000);
  model::explore<Fenced<3>>(5'000);
}

/// MPI_Win_post, start, complete and wait. The message of a post orders by itself, as those in a ring do; that of
/// complete need not, because both sides complete their stores.
struct Exposed : model::Suite<Exposed, 2> {
  Atomic<unsigned> posted{0}, completed{0};
  model::Plain<unsigned> memory;

  void run(unsigned index) { index == 0 ? expose() : access(); }

  void expose() {
    for (unsigned epoch = 1; epoch <= 3; ++epoch) {
      memory.set(0);
      complete_stores();
      posted.store(epoch, std::memory_order_release);
      while (completed.load(std::memory_order_relaxed) != epoch) cpu_relax();
      complete_stores();
      RL_ASSERT(memory.get() == epoch);
    }
  }
  void access() {
    for (unsigned epoch = 1; epoch <= 3; ++epoch) {
      while (posted.load(std::memory_order_acquire) != epoch) cpu_relax();
      memory.set(epoch);
      complete_stores();
      completed.store(epoch, std::memory_order_relaxed);
    }
  }
};

TEST_F(WindowMemory, HoldsAfterAWaitWhatWasPutBeforeTheComplete) {
  model::explore<Exposed>(10'000);
}

/// Two members put to one word, flush, and get the other one: one of them finds what the other has put.
struct Flushed : model::Suite<Flushed, 2> {
  std::array<Atomic<unsigned>, 2> memory{0, 0};
  std::array<unsigned, 2> got{};

  void run(unsigned me) {
    memory[me].store(1, std::memory_order_relaxed);
    complete_stores();
    got[me] = memory[1 - me].load(std::memory_order_relaxed);
  }
  void after() { RL_ASSERT(got[0] == 1 || got[1] == 1); }
};

TEST_F(WindowMemory, IsCompleteAfterAFlush) {
  model::explore_all<Flushed>();
}

// ---- accumulates to words

using Word = std::uint64_t;

void put_word(dtype::Operator op, Word operand, Word& target, Word* old = nullptr) {
  const auto greatest = [](const void* given, void* result) {
    Word left = 0, right = 0;
    std::memcpy(&left, given, sizeof left);
    std::memcpy(&right, result, sizeof right);
    right = std::max(left, right);
    std::memcpy(result, &right, sizeof right);
  };
  update_words<Word>(op, greatest, reinterpret_cast<const std::byte*>(&operand), reinterpret_cast<std::byte*>(&target),
                     reinterpret_cast<std::byte*>(old), 1);
}

/// Members accumulate, each after a put to memory of its own; who finds the word changed finds the put.
template <dtype::Operator op>
struct Accumulated : model::Suite<Accumulated<op>, 3> {
  Word word = 0;
  std::array<model::Plain<unsigned>, 2> memory;

  void run(unsigned me) {
    if (me < 2) {
      memory[me].set(me + 1);
      return put_word(op, me + 1, word);
    }
    for (Word found = 0; found == 0;) {
      put_word(dtype::Operator::no_op, 0, word, &found);
      if (found & 1) RL_ASSERT(memory[0].get() == 1);
      if (found & 2) RL_ASSERT(memory[1].get() == 2);
      cpu_relax();
    }
  }
};

TEST_F(WindowMemory, HoldsWhatWasPutBeforeAnAccumulate) {
  model::explore<Accumulated<dtype::Operator::sum>>(10'000);
  model::explore<Accumulated<dtype::Operator::bor>>(10'000);
  model::explore<Accumulated<dtype::Operator::max>>(10'000);
  model::explore<Accumulated<dtype::Operator::replace>>(10'000);
}

/// A lock that programs make of MPI_Compare_and_swap and MPI_Accumulate with MPI_REPLACE.
struct SwapLock : model::Suite<SwapLock, 3> {
  Word word = 0;
  model::Plain<unsigned> sum;

  SwapLock() { sum.set(0); }
  void run(unsigned) {
    const Word free = 0, mine = 1;
    for (Word found = mine; found != free;) {
      swap_word<Word>(reinterpret_cast<const std::byte*>(&free), reinterpret_cast<const std::byte*>(&mine),
                      reinterpret_cast<std::byte*>(&word), reinterpret_cast<std::byte*>(&found));
      if (found != free) cpu_relax();
    }
    sum.set(sum.get() + 1);
    put_word(dtype::Operator::replace, free, word);
  }
};

TEST_F(WindowMemory, IsOneMembersWhoHasSwappedAWord) {
  model::explore<SwapLock>(10'000);
}

}  // namespace
}  // namespace bowline::rma
