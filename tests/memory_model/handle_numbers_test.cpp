// SPDX-License-Identifier: BSD-3-Clause
// base/handle_numbers: all threads get one number for a handle, also while the table grows, and a number represents no
// later handle.
#include "base/handle_numbers.hpp"

#include <cstdlib>
#include <optional>

#include "explore.hpp"

namespace bowline {

void refuse_handle_number(std::size_t) {
  RL_ASSERT(false);
  std::abort();
}

namespace {

struct Small {
  static constexpr int first = 1;
  static constexpr int slot_bits = 3;
  static constexpr std::size_t resting_slots = 0;
  static constexpr std::size_t chunk_slots = 1;
  static constexpr std::size_t guesses = 2;
};
using Numbers = HandleNumbersOf<Small>;

constexpr int kind = 1;
constexpr std::uintptr_t an_object = 0x1000, another = 0x2000;
/// The bits of the handle of the object's second use.
constexpr std::uintptr_t second_use = 0x1001;

/// Two threads convert one handle while a third one converts another, so the table grows twice.
struct Grown : model::Suite<Grown, 3> {
  Numbers numbers;
  std::array<int, 2> given{};

  void run(unsigned index) {
    if (index == 2) {
      RL_ASSERT(numbers.handle_of(numbers.number_of(another, another, kind), kind) == another);
    } else {
      given[index] = numbers.number_of(an_object, an_object, kind);
      RL_ASSERT(numbers.handle_of(given[index], kind) == an_object);
    }
  }
  void after() { RL_ASSERT(given[0] == given[1]); }
};

TEST(HandleNumbers, AllThreadsGetOneNumberWhileTheTableGrows) {
  model::explore<Grown>(10'000);
}

/// The object of a handle is used again for a handle that two threads convert; a third one still has the old number.
struct UsedAgain : model::Suite<UsedAgain, 3> {
  Numbers numbers;
  Atomic<int> old{0};
  Atomic<bool> used_again{false};
  std::array<int, 2> given{};

  void run(unsigned index) {
    if (index == 0) {
      old.store(numbers.number_of(an_object, an_object, kind), std::memory_order_release);
      used_again.store(true, std::memory_order_release);
      convert(index);
    } else if (index == 1) {
      while (!used_again.load(std::memory_order_acquire)) cpu_relax();
      convert(index);
    } else {
      int number = 0;
      while ((number = old.load(std::memory_order_acquire)) == 0) cpu_relax();
      for (int i = 0; i < 2; ++i) {
        const std::optional<std::uintptr_t> found = numbers.handle_of(number, kind);
        RL_ASSERT(!found || *found == an_object);
      }
    }
  }
  void convert(unsigned index) {
    given[index] = numbers.number_of(an_object, second_use, kind);
    RL_ASSERT(given[index] != old.load(std::memory_order_relaxed));
    RL_ASSERT(numbers.handle_of(given[index], kind) == second_use);
  }
  void after() { RL_ASSERT(given[0] == given[1]); }
};

TEST(HandleNumbers, ANumberDoesNotRepresentALaterHandleOfTheObject) {
  model::explore<UsedAgain>(20'000);
}

/// The slot of a freed handle is used for another object, by another thread, while a number is still in use that was
/// freed.
struct Reused : model::Suite<Reused, 3> {
  Numbers numbers;
  Atomic<int> old{0};
  Atomic<bool> freed{false};

  void run(unsigned index) {
    if (index == 0) {
      old.store(numbers.number_of(an_object, an_object, kind), std::memory_order_release);
      numbers.forget(an_object);
      freed.store(true, std::memory_order_release);
    } else if (index == 1) {
      while (!freed.load(std::memory_order_acquire)) cpu_relax();
      const int number = numbers.number_of(another, another, kind);
      RL_ASSERT(number != old.load(std::memory_order_relaxed));
      RL_ASSERT(numbers.handle_of(number, kind) == another);
      RL_ASSERT(!numbers.handle_of(old.load(std::memory_order_relaxed), kind));
    } else {
      int number = 0;
      while ((number = old.load(std::memory_order_acquire)) == 0) cpu_relax();
      const std::optional<std::uintptr_t> found = numbers.handle_of(number, kind);
      RL_ASSERT(!found || *found == an_object);
    }
  }
};

TEST(HandleNumbers, ANumberDoesNotRepresentALaterHandleInTheSlot) {
  model::explore<Reused>(20'000);
}

}  // namespace
}  // namespace bowline
