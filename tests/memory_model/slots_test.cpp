// SPDX-License-Identifier: BSD-3-Clause
// coll/slots: members read what others wrote before their flags, and nothing is overwritten that a member still reads.
#include "coll/slots/slots.hpp"

#include <optional>

#include "slot_team.hpp"

namespace bowline::coll {
namespace {

/// In each round a member writes its word to its slot, and reads those of the others. They read its length, too.
struct Exchange : RoundWork {
  Slots& slots;
  std::uint64_t operation;

  std::uint64_t word(int member, std::uint64_t round) const noexcept {
    return operation << 16 | static_cast<std::uint64_t>(member) << 8 | round;
  }
  std::byte* place(int member, std::uint64_t round) const noexcept { return slots.slot(member) + round % 2 * 64; }
  void give(std::uint64_t round) const {
    if (round == 0) slots.tell_bytes(100 + operation);
    const std::uint64_t mine = word(slots.rank(), round);
    copy_to_shared(place(slots.rank(), round), &mine, sizeof mine);
  }
  void take(std::uint64_t round, int member) const {
    RL_ASSERT(slots.bytes_of(member) == 100 + operation);
    std::uint64_t theirs = 0;
    copy_from_shared(&theirs, place(member, round), sizeof theirs);
    RL_ASSERT(theirs == word(member, round));
  }
};

Task exchange(Slots& slots, int members, std::uint64_t operation, std::uint64_t rounds) {
  const Exchange work{{}, slots, operation};
  return travel(RoundTrip(slots, slots.rank(), {.count = rounds, .sources = {members - 1}}, work), false);
}

/// More operations than there are sets of slots, or more rounds than a slot has parts.
template <int members, std::uint64_t operations, std::uint64_t rounds>
struct Exchanged : model::Suite<Exchanged<members, operations, rounds>, members> {
  ModelTeam<members> team;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
      Slots slots = me.next();
      me.finish(exchange(slots, members, operation, rounds));
    }
  }
};

// A wake-up that is lost leaves a member asleep for ever.
TEST_F(SlotModel, GiveWhatTheFlagsTell) {
  model::explore<Exchanged<2, 6, 1>>(10'000);
}
TEST_F(SlotModel, GiveWhatTheFlagsTellInRounds) {
  model::explore<Exchanged<2, 1, 4>>(10'000);
}
TEST_F(SlotModel, GiveThreeMembersWhatTheFlagsTell) {
  model::explore<Exchanged<3, 1, 2>>(10'000);
}

/// Member 0 publishes to the others in a row of operations, ahead of them by as many as there are slots.
struct RunAhead : model::Suite<RunAhead, 2> {
  static constexpr std::uint64_t operations = SlotMemory::slot_sets + 2;
  ModelTeam<2> team;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    for (std::uint64_t operation = 0; operation < operations; ++operation) {
      Slots slots = me.next();
      me.finish(rank == 0 ? write(slots, operation) : read(slots, operation));
    }
  }
  static Task write(Slots& slots, std::uint64_t operation) {
    auto vacant = slots.vacancy();
    co_await vacant;
    copy_to_shared(slots.slot(0), &operation, sizeof operation);
    slots.publish(1);
  }
  static Task read(Slots& slots, std::uint64_t operation) {
    auto there = slots.reached(0, 1);
    co_await there;
    std::uint64_t found = 0;
    copy_from_shared(&found, slots.slot(0), sizeof found);
    RL_ASSERT(found == operation);
  }
};

TEST_F(SlotModel, AreVacantWhenTheirReadersHaveCompleted) {
  model::explore<RunAhead>(20'000);
}

/// A member tells in one operation which ones it has completed, and a line may show what it tells in a later one: here
/// member 1 runs ahead of member 0 by all sets of lines. It completes operation 0 late, and reads a slot in it.
struct ToldLater : model::Suite<ToldLater, 2> {
  static constexpr std::uint64_t later = SlotMemory::line_sets_for(2) + 1;
  ModelTeam<2> team;
  Atomic<bool> told{false};

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    rank == 0 ? write(me) : read(me);
  }
  void write(ModelMember& me) {
    for (std::uint64_t operation = 0; operation <= SlotMemory::slot_sets; ++operation) {
      Slots slots = me.next();
      if (operation == 1) {
        while (!told.load(std::memory_order_relaxed)) cpu_relax();  // orders nothing
        while (!slots.has_reached(1, 1)) cpu_relax();
      }
      if (operation % SlotMemory::slot_sets != 0) continue;
      me.finish(give(slots, operation));
    }
  }
  static Task give(Slots& slots, std::uint64_t operation) {
    auto vacant = slots.vacancy();
    co_await vacant;
    copy_to_shared(slots.slot(0), &operation, sizeof operation);
    slots.publish(1);
  }
  void read(ModelMember& me) {
    std::optional<Slots> first(std::in_place, me.memory(), 0, CallId{}, 0U);
    me.skip();
    me.next().publish(1);
    static_cast<void>(me.next());
    me.finish(take(*first));
    first.reset();
    for (std::uint64_t operation = 3; operation < later; ++operation) static_cast<void>(me.next());
    me.next().publish(1);  // as a member does that writes nothing before its flag
    told.store(true, std::memory_order_relaxed);
  }
  static Task take(Slots& slots) {
    auto there = slots.reached(0, 1);
    co_await there;
    std::uint64_t found = 1;
    copy_from_shared(&found, slots.slot(0), sizeof found);
    RL_ASSERT(found == 0);
  }
};

TEST_F(SlotModel, AreVacantIfAFlagComesWithTheCountOfALaterOne) {
  model::explore<ToldLater>(300);
}

/// Members whose plans differ now and then.
struct Planned : model::Suite<Planned, 2> {
  static constexpr std::uint32_t operations = 4;
  ModelTeam<2> team;

  static std::uint32_t plan(unsigned rank, std::uint32_t operation) noexcept {
    return operation % 3 == 1 ? 10 + rank : operation % 2;
  }
  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    for (std::uint32_t operation = 0; operation < operations; ++operation) {
      Slots slots = me.next();
      bool agreed = false;
      slots.begin_with_plan(plan(rank, operation));
      me.finish(slots.meet(plan(rank, operation), agreed));
      RL_ASSERT(agreed == (plan(0, operation) == plan(1, operation)));
    }
  }
};

TEST_F(SlotModel, MembersAgreeOnAPlanAlike) {
  model::explore<Planned>(20'000);
}

/// Member 1 publishes and completes; member 0 asks meanwhile whether it has completed without its flag.
struct Overtaken : model::Suite<Overtaken, 2> {
  ModelTeam<2> team;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    Slots slots = me.next();
    if (rank == 1) return slots.publish(1);
    const Atomic<std::uint64_t>& flag = me.memory().lines(0)[1].flag;
    const std::uint64_t value = SlotMemory::flag_value(0, 1);
    while (!proto::Watch::reached(flag, value)) {
      RL_ASSERT(!me.memory().completed_without(1, flag, value));
      cpu_relax();
    }
  }
};

TEST_F(SlotModel, AMemberThatCompletesHasPublished) {
  model::explore<Overtaken>(10'000);
}

/// Member 0 leaves the memory to another team as soon as it is free.
struct Freed : model::Suite<Freed, 2> {
  ModelTeam<2> team;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    {
      Slots slots = me.next();
      me.finish(exchange(slots, 2, 0, 1));
    }
    if (rank != 0) return;
    while (!SlotMemory::is_free(team.memory)) cpu_relax();
    const std::uint64_t other = 0xffff;
    for (int member = 0; member < 2; ++member) copy_to_shared(me.memory().slot(0, member), &other, sizeof other);
  }
};

TEST_F(SlotModel, MemoryIsFreeWhenNobodyReadsIt) {
  model::explore<Freed>(20'000);
}

}  // namespace
}  // namespace bowline::coll
