// SPDX-License-Identifier: BSD-3-Clause
#include "rma/accumulator.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/f90.hpp"
#include "dtype/predefined.hpp"
#include "rma/paths/element_atomics.hpp"
#include "support/owned_type.hpp"
#include "support/seed.hpp"

namespace bowline::rma {
namespace {

using dtype::Element;
using dtype::Operator;
using test::committed;

struct Nobody final : Holders {
  bool ended(int) noexcept override { return dead; }
  bool dead = false;
};

/// Every way in which accumulates exclude each other gives the same result.
struct Ways {
  Nobody nobody;
  std::atomic<std::uint32_t> word{0};
  Exclusion alone{.holders = &nobody};
  Exclusion locked{.lock = &word, .holders = &nobody};
  Exclusion instructions{.instructions = true, .lock = &word, .holders = &nobody};
};

/// `count` numbers in an array with `gap` unused ones after each.
template <class T>
void expect_all_operators(Element element, const Exclusion& exclusion, std::size_t gap) {
  const dtype::Datatype& basic = dtype::type_of(element);
  const std::size_t count = 37, step = gap + 1;
  dtype::Envelope given{.combiner = dtype::Combiner::vector,
                        .integers = {static_cast<int>(count), 1, static_cast<int>(step)}};
  const dtype::TypeRef type = committed(dtype::compose(std::move(given), basic));
  for (const Operator op :
       {Operator::sum, Operator::prod, Operator::min, Operator::max, Operator::band, Operator::bor, Operator::bxor,
        Operator::land, Operator::lor, Operator::lxor, Operator::replace, Operator::no_op}) {
    const dtype::Op& predefined = dtype::op_of(op);
    if (!predefined.accumulates(basic)) continue;
    std::vector<T> memory(count * step), in(count), old(count);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(i % 11);
    for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<T>(i % 7);
    std::vector<T> expected = memory;
    for (std::size_t i = 0; i < count; ++i) {
      if (op == Operator::replace) expected[i * step] = in[i];
      if (op != Operator::replace && op != Operator::no_op) predefined.apply(&in[i], &expected[i * step], 1, basic);
    }
    const std::vector<T> before = memory;
    Accumulator accumulator(exclusion, predefined, basic, *type, 1, reinterpret_cast<std::byte*>(memory.data()));
    // In two parts, as messages bring them.
    for (const auto& [from, to] : {std::pair<std::size_t, std::size_t>{0, 5}, {5, count}}) {
      const std::span<const std::byte> data = std::as_bytes(std::span(in).subspan(from, to - from));
      accumulator.apply(from * sizeof(T), op == Operator::no_op ? std::span<const std::byte>() : data,
                        std::as_writable_bytes(std::span(old).subspan(from, to - from)));
    }
    EXPECT_EQ(memory, expected) << static_cast<int>(op);
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(old[i], before[i * step]);
  }
}

TEST(Accumulator, EveryOperatorOnEveryKindOfNumber) {
  Ways ways;
  for (const Exclusion* const each : {&ways.alone, &ways.locked, &ways.instructions}) {
    for (const std::size_t gap : {0, 2}) {
      expect_all_operators<std::int32_t>(Element::i32, *each, gap);
      expect_all_operators<std::uint64_t>(Element::u64, *each, gap);
      expect_all_operators<std::int16_t>(Element::i16, *each, gap);
      expect_all_operators<std::uint8_t>(Element::u8, *each, gap);
      expect_all_operators<double>(Element::f64, *each, gap);
      expect_all_operators<float>(Element::f32, *each, gap);
    }
  }
}

TEST(Accumulator, NumbersThatAreNotAligned) {
  Ways ways;
  std::vector<std::byte> memory(9 * 8 + 1);
  for (const Element element : {Element::i64, Element::f64}) {
    const dtype::Datatype& type = dtype::type_of(element);
    std::fill(memory.begin(), memory.end(), std::byte{0});
    std::vector<std::int64_t> in(9, 0);
    const double half = 0.5;
    for (std::int64_t& each : in) {
      if (element == Element::i64) each = 3;
      if (element == Element::f64) std::memcpy(&each, &half, sizeof half);
    }
    Accumulator accumulator(ways.instructions, dtype::op_of(Operator::sum), type, type, 9, memory.data() + 1);
    accumulator.apply(0, std::as_bytes(std::span(in)), {});
    accumulator.apply(0, std::as_bytes(std::span(in)), {});
    for (std::size_t i = 0; i < 9; ++i) {
      std::int64_t whole = 0;
      double real = 0;
      std::memcpy(element == Element::i64 ? static_cast<void*>(&whole) : &real, memory.data() + 1 + 8 * i, 8);
      if (element == Element::i64) {
        EXPECT_EQ(whole, 6);
      } else {
        EXPECT_EQ(real, 1.0);
      }
    }
  }
}

TEST(Accumulator, PairsWithPadding) {
  using Pair = dtype::Pair<double, int>;
  Ways ways;
  const dtype::Datatype& type = dtype::type_of(Element::f64_i32);
  std::vector<Pair> memory(700), in(700);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = {static_cast<double>(i % 5), 1};
    in[i] = {2.0, 7};
  }
  std::vector<std::byte> packed(in.size() * type.size()), old(packed.size());
  dtype::pack(type, in.size(), in.data(), packed.data());
  Accumulator accumulator(ways.locked, dtype::op_of(Operator::maxloc), type, type, memory.size(),
                          reinterpret_cast<std::byte*>(memory.data()));
  accumulator.apply(0, packed, old);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const double before = static_cast<double>(i % 5);
    EXPECT_EQ(memory[i].value, std::max(before, 2.0));
    EXPECT_EQ(memory[i].index, before < 2.0 ? 7 : 1);
    double former = -1;
    std::memcpy(&former, &old[i * type.size()], sizeof former);
    EXPECT_EQ(former, before);
  }
}

TEST(Accumulator, PairsWithoutAName) {
  const dtype::Datatype& pair = *dtype::pair_of(dtype::type_of(Element::i64), dtype::type_of(Element::i16));
  EXPECT_EQ(&accumulated(dtype::op_of(Operator::minloc), pair), &pair);
  EXPECT_THROW(accumulated(dtype::op_of(Operator::sum), pair), Error);
}

TEST(Accumulator, RefusesWhatIsNotDefined) {
  const auto refused = [](Operator op, const dtype::Datatype& type) {
    try {
      accumulated(dtype::op_of(op), type);
    } catch (const Error& error) {
      return error.error_class();
    }
    return ErrorClass::success;
  };
  EXPECT_EQ(refused(Operator::sum, dtype::type_of(Element::f64)), ErrorClass::success);
  EXPECT_EQ(refused(Operator::band, dtype::type_of(Element::f64)), ErrorClass::op);
  EXPECT_EQ(refused(Operator::replace, dtype::type_of(Element::packed)), ErrorClass::success);
  dtype::Envelope both{.combiner = dtype::Combiner::structure, .integers = {2, 1, 1}, .addresses = {0, 8}};
  const dtype::TypeRef mixed = committed(dtype::compose(
      std::move(both), {dtype::TypeRef(dtype::type_of(Element::f64)), dtype::TypeRef(dtype::type_of(Element::i32))}));
  EXPECT_EQ(refused(Operator::sum, *mixed), ErrorClass::type);
}

TEST(Accumulator, ComparesAndSwaps) {
  Ways ways;
  for (const Exclusion* const each : {&ways.locked, &ways.instructions}) {
    for (const Element element : {Element::i32, Element::i64, Element::u8, Element::l16}) {
      const dtype::Datatype& type = dtype::type_of(element);
      std::int64_t memory = 5, compare = 4, swap = 9, old = 0;
      Accumulator accumulator(*each, dtype::op_of(Operator::replace), type, type, 1,
                              reinterpret_cast<std::byte*>(&memory));
      const auto bytes = [](std::int64_t& value) { return reinterpret_cast<std::byte*>(&value); };
      accumulator.compare_and_swap(bytes(compare), bytes(swap), bytes(old));
      EXPECT_EQ(old, 5);
      EXPECT_EQ(memory, 5);
      compare = 5;
      accumulator.compare_and_swap(bytes(compare), bytes(swap), bytes(old));
      EXPECT_EQ(old, 5);
      EXPECT_EQ(memory, 9);
    }
  }
}

TEST(Accumulator, ALockWhoseHolderHasEndedPassesOn) {
  Nobody nobody;
  nobody.dead = true;
  std::atomic<std::uint32_t> word{8};
  const Exclusion exclusion{.lock = &word, .holders = &nobody};
  double memory = 1;
  const double in = 2;
  const dtype::Datatype& type = dtype::type_of(Element::f64);
  Accumulator accumulator(exclusion, dtype::op_of(Operator::sum), type, type, 1, reinterpret_cast<std::byte*>(&memory));
  accumulator.apply(0, std::as_bytes(std::span(&in, 1)), {});
  EXPECT_EQ(memory, 3);
  EXPECT_EQ(word.load(), 0U);
}

TEST(ThreadsAccumulator, NothingIsLost) {
  Nobody nobody;
  std::atomic<std::uint32_t> word{0};
  constexpr int rounds = 4000, workers = 3;
  std::int64_t whole = 0;
  double real = 0;
  const auto work = [&](int mine) {
    const Exclusion exclusion{.instructions = true, .lock = &word, .mine = mine, .holders = &nobody};
    const std::int64_t one = 1;
    const double half = 0.5;
    for (int i = 0; i < rounds; ++i) {
      Accumulator(exclusion, dtype::op_of(Operator::sum), dtype::type_of(Element::i64), dtype::type_of(Element::i64), 1,
                  reinterpret_cast<std::byte*>(&whole))
          .apply(0, std::as_bytes(std::span(&one, 1)), {});
      Accumulator(exclusion, dtype::op_of(Operator::sum), dtype::type_of(Element::f64), dtype::type_of(Element::f64), 1,
                  reinterpret_cast<std::byte*>(&real))
          .apply(0, std::as_bytes(std::span(&half, 1)), {});
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back(work, i);
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(whole, std::int64_t{rounds} * workers);
  EXPECT_EQ(real, 0.5 * rounds * workers);
}

}  // namespace
}  // namespace bowline::rma
