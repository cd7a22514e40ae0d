// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/construction/encoding.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <new>
#include <numeric>
#include <random>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/f90.hpp"
#include "dtype/padding.hpp"
#include "dtype/predefined.hpp"
#include "random_type.hpp"
#include "support/owned_type.hpp"
#include "support/seed.hpp"

namespace bowline::dtype {
namespace {

using test::owned;

const Datatype& integer() {
  return *predefined_datatype(0x209);  // MPI_INT
}

void expect_alike(const Datatype& original, const Datatype& copy) {
  const Bounds &a = original.bounds(), &b = copy.bounds();
  EXPECT_EQ(original.size(), copy.size());
  EXPECT_EQ(original.extent(), copy.extent());
  EXPECT_EQ(a.lb, b.lb);
  EXPECT_EQ(a.true_lb, b.true_lb);
  EXPECT_EQ(a.true_ub, b.true_ub);
  EXPECT_EQ(a.elements, b.elements);
  EXPECT_EQ(a.uniform, b.uniform);
  if (a.elements > 0 && a.uniform) {
    EXPECT_EQ(a.element, b.element);
  }
}

/// Whether both put the same stream to the same places.
void expect_same_places(const Datatype& original, const Datatype& copy, std::size_t count) {
  const Bounds& bounds = original.bounds();
  const auto last = static_cast<std::int64_t>(count - 1) * original.extent();
  const std::int64_t low = bounds.true_lb + std::min<std::int64_t>(0, last);
  const std::int64_t high = bounds.true_ub + std::max<std::int64_t>(0, last);
  std::vector<std::byte> stream(original.size() * count);
  for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<std::byte>(i * 37 + 1);
  std::vector<std::byte> first(static_cast<std::size_t>(high - low) + 1), second(first.size());
  unpack(original, stream.data(), stream.size(), first.data() - low);
  unpack(copy, stream.data(), stream.size(), second.data() - low);
  EXPECT_EQ(first, second);
}

TEST(Encoding, EveryPredefinedTypeComesBack) {
  for (std::size_t i = 0; i < element_count; ++i) {
    const Datatype& type = type_of(static_cast<Element>(i));
    const TypeRef copy = decode(encode(type));
    EXPECT_TRUE(copy->predefined());
    EXPECT_EQ(copy->element(), type.element());
    EXPECT_EQ(encode(type).size(), 8U);
  }
}

TEST(Encoding, KindsOfFortranAreTheirElement) {
  const Envelope given{.combiner = Combiner::f90_real, .integers = {10, 100}};
  const TypeRef copy = decode(encode(*f90_type(Combiner::f90_real, 10, 100, given)));
  EXPECT_EQ(copy->size(), 8U);
  EXPECT_TRUE(copy->predefined());
}

TEST(Encoding, PairsWithoutANameAreThoseOfThisProcess) {
  const Datatype& pair = *pair_of(*predefined_datatype(0x214), *predefined_datatype(0x208));  // double, short
  EXPECT_EQ(&*decode(encode(pair)), &pair);
}

TEST(Encoding, RandomTypesComeBack) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(testing::Message() << "TEST_SEED=" << seed);
    Maker maker(seed);
    for (int i = 0; i < 1000; ++i) {
      maker.text.clear();
      const Sample sample = maker.make(4);
      const TypeRef copy = decode(encode(*sample.type));
      const_cast<Datatype&>(*sample.type).commit();
      SCOPED_TRACE(maker.text);
      EXPECT_TRUE(copy->committed());
      expect_alike(*sample.type, *copy);
      if (sample.type->size() > 0) expect_same_places(*sample.type, *copy, 2);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Encoding, TypesThatAreUsedTwiceAreEncodedOnce) {
  TypeRef type = owned(compose({.combiner = Combiner::vector, .integers = {3, 1, 2}}, integer()));
  for (int i = 0; i < 30; ++i) {
    Envelope both{.combiner = Combiner::structure, .integers = {2, 1, 1}, .addresses = {0, 0}};
    type = owned(compose(std::move(both), {type, type}));  // 2^30 vectors
  }
  const std::vector<std::byte> bytes = encode(*type);
  EXPECT_LT(bytes.size(), 4000U);
  expect_alike(*type, *decode(bytes));
}

TEST(Encoding, ManyBlocksOfARegularTypeTakeNoMemory) {
  const std::int64_t many = std::int64_t{1} << 40;
  const TypeRef type =
      owned(compose({.combiner = Combiner::hvector, .large = true, .counts = {many, 1, 8}}, integer()));
  const TypeRef copy = decode(encode(*type));
  EXPECT_EQ(copy->size(), static_cast<std::size_t>(many) * 4);
}

/// hvector(2, 3, stride) of hvector(3, 4, 25) of MPI_INT.
TypeRef odd_strides(std::int64_t stride) {
  const TypeRef inner =
      owned(compose({.combiner = Combiner::hvector, .integers = {3, 4}, .addresses = {25}}, integer()));
  return owned(compose({.combiner = Combiner::hvector, .integers = {2, 3}, .addresses = {stride}}, *inner));
}

TEST(Encoding, KeepsTheBoundsOfAProcessWithTheOtherRuleForPadding) {
  constexpr std::int64_t stride = 4 * 68 + 1;
  EXPECT_EQ(odd_strides(stride)->extent(), 480);
  set_padding_rule(Padding::drops);
  const TypeRef to_the_letter = odd_strides(stride);
  const std::vector<std::byte> bytes = encode(*to_the_letter);
  set_padding_rule(Padding::counts);
  EXPECT_EQ(to_the_letter->extent(), 476);
  EXPECT_EQ(decode(bytes)->extent(), 476);
}

TEST(Encoding, DeepTypesComeBack) {
  TypeRef type(integer());
  for (int i = 0; i < 1999; ++i)
    type = owned(compose({.combiner = Combiner::hvector, .integers = {1, 1}, .addresses = {1}}, *type));
  EXPECT_EQ(decode(encode(*type))->bounds().depth, type->bounds().depth);
}

// ---- bytes that no encode() has written

template <class Value>
void append(std::vector<std::byte>& bytes, Value value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// One definition with these numbers, all in small form.
std::vector<std::byte> one_definition(int combiner, const std::vector<int>& integers,
                                      const std::vector<std::int64_t>& addresses,
                                      const std::vector<std::uint32_t>& types) {
  std::vector<std::byte> bytes;
  for (const std::uint32_t head : {1U, 256U}) append(bytes, head);
  append(bytes, static_cast<std::uint16_t>(combiner));
  append(bytes, std::uint16_t{0});
  for (const std::size_t count : {integers.size(), addresses.size(), std::size_t{0}, types.size()})
    append(bytes, static_cast<std::uint32_t>(count));
  for (const int each : integers) append(bytes, each);
  for (const std::int64_t each : addresses) append(bytes, each);
  for (const std::uint32_t each : types) append(bytes, each);
  return bytes;
}

ErrorClass refusal(const std::vector<std::byte>& bytes) {
  try {
    decode(bytes);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()), "");
    return error.error_class();
  }
  return ErrorClass::success;
}

constexpr std::uint32_t int_element = static_cast<std::uint32_t>(Element::i32);

TEST(Encoding, WrongDefinitionsAreRefused) {
  const int contiguous = 103, vector = 104, indexed = 106, structure = 110, resized = 116, dup = 102;
  EXPECT_EQ(refusal(one_definition(contiguous, {3}, {}, {int_element})), ErrorClass::success);
  EXPECT_EQ(refusal({}), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {-1}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {3}, {}, {})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {3}, {}, {250})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {3}, {}, {256})), ErrorClass::type);  // itself
  EXPECT_EQ(refusal(one_definition(vector, {3, -1, 2}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(vector, {3, 1}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(indexed, {2, 1, 1, 0}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(indexed, {2, 1, -1, 0, 5}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(indexed, {0x7fffffff}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(structure, {2, 1, 1}, {0, 4}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(resized, {}, {0}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(dup, {}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(0, {}, {}, {int_element})), ErrorClass::type);
  EXPECT_EQ(refusal(one_definition(contiguous, {0x7fffffff}, {}, {int_element})), ErrorClass::success);
}

/// Changed, shortened and lengthened encodings either describe some datatype or are refused.
TEST(Encoding, DamagedBytesAreRefusedOrHarmless) {
  const std::uint32_t seed = test::seeds().front();
  SCOPED_TRACE(testing::Message() << "TEST_SEED=" << seed);
  std::mt19937_64 random(seed);
  Maker maker(seed);
  int refused = 0;
  for (std::size_t i = 0; i < test::fuzz_messages() / 10; ++i) {
    maker.text.clear();
    std::vector<std::byte> bytes = encode(*maker.make(3).type);
    for (std::uint64_t changes = random() % 4; changes-- > 0;) {
      // Large numbers are the dangerous ones, but not sizes for which there is no memory.
      bytes[random() % bytes.size()] = static_cast<std::byte>(random() % 3 == 0 ? 0xff : random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    if (random() % 8 == 0) bytes.resize(bytes.size() + random() % 20);
    try {
      decode(bytes);
    } catch (const Error&) {
      ++refused;
    } catch (const std::bad_alloc&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace bowline::dtype
