// SPDX-License-Identifier: BSD-3-Clause
// dtype/external32: the lengths of the standard's tables (MPI-5.0, section 14.5.2), and bytes worked out by hand.
#include "dtype/external32/external32.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dtype/native.hpp"

namespace bowline::dtype {
namespace {

using Bytes = std::vector<unsigned char>;

struct Length {
  Element element;
  std::size_t bytes;
};

constexpr Length lengths[] = {
    {Element::byte, 1},
    {Element::packed, 1},
    {Element::character, 1},
    {Element::i8, 1},
    {Element::i16, 2},
    {Element::i32, 4},
    {Element::i64, 8},
    {Element::u8, 1},
    {Element::u16, 2},
    {Element::u32, 4},
    {Element::u64, 8},
    {Element::c_long, 4},
    {Element::c_ulong, 4},
    {Element::fortran_i8, 1},
    {Element::fortran_i16, 2},
    {Element::fortran_i32, 4},
    {Element::fortran_i64, 8},
    {Element::fortran_i128, 16},
    {Element::address, 8},
    {Element::wide_character, 2},
    {Element::f16, 2},
    {Element::f32, 4},
    {Element::f64, 8},
    {Element::f80, 16},
    {Element::f128, 16},
    {Element::c16, 4},
    {Element::c32, 8},
    {Element::c64, 16},
    {Element::c80, 32},
    {Element::c128, 32},
    {Element::boolean, 1},
    {Element::l8, 1},
    {Element::l16, 2},
    {Element::l32, 4},
    {Element::l64, 8},
    {Element::l128, 16},
    {Element::f32_i32, 4 + 4},
    {Element::f64_i32, 8 + 4},
    {Element::long_i32, 4 + 4},
    {Element::i32_i32, 4 + 4},
    {Element::i16_i32, 2 + 4},
    {Element::f80_i32, 16 + 4},
    {Element::f32_f32, 4 + 4},
    {Element::f64_f64, 8 + 8},
    {Element::fortran_i32_i32, 4 + 4},
};
static_assert(std::size(lengths) == element_count);

template <class T>
Bytes outside(Element element, const T& value) {
  EXPECT_EQ(sizeof(T), native_size(element));
  Bytes bytes(external32_size(element), 0xee);
  to_external32(element, reinterpret_cast<const std::byte*>(&value), reinterpret_cast<std::byte*>(bytes.data()), 1);
  return bytes;
}

template <class T>
T inside(Element element, const Bytes& bytes) {
  EXPECT_EQ(bytes.size(), external32_size(element));
  T value{};
  from_external32(element, reinterpret_cast<const std::byte*>(bytes.data()), reinterpret_cast<std::byte*>(&value), 1);
  return value;
}

/// Both ways at once.
template <class T>
void expect_form(Element element, const T& value, const Bytes& bytes) {
  EXPECT_EQ(outside(element, value), bytes) << "element " << static_cast<int>(element);
  EXPECT_TRUE(inside<T>(element, bytes) == value) << "element " << static_cast<int>(element);
}

/// Sixteen bytes: the ones given, then zeros.
Bytes sixteen(Bytes bytes) {
  bytes.resize(16);
  return bytes;
}

/// A binary128 number by its first bytes, then the tenth and the last. The tenth holds the lowest seven bits of a long
/// double's fraction, and below them the first that it has no room for.
Bytes quad(Bytes bytes, unsigned char tenth, unsigned char last = 0) {
  bytes.resize(16);
  bytes[9] = tenth;
  bytes[15] = last;
  return bytes;
}

TEST(External32, LengthsAreThoseOfTheStandard) {
  for (const Length& row : lengths) EXPECT_EQ(external32_size(row.element), row.bytes) << static_cast<int>(row.element);
}

TEST(External32, IntegersAreBigEndian) {
  expect_form<std::int8_t>(Element::i8, -2, {0xfe});
  expect_form<std::int16_t>(Element::i16, -2, {0xff, 0xfe});
  expect_form<std::int32_t>(Element::i32, 0x01020304, {1, 2, 3, 4});
  expect_form<std::int64_t>(Element::i64, 0x0102030405060708, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_form<std::uint16_t>(Element::u16, 0xabcd, {0xab, 0xcd});
  expect_form<std::uint32_t>(Element::u32, 0x80000000u, {0x80, 0, 0, 0});
  expect_form<std::uint64_t>(Element::u64, ~std::uint64_t{0}, Bytes(8, 0xff));
  expect_form<std::int32_t>(Element::fortran_i32, -16, {0xff, 0xff, 0xff, 0xf0});
  expect_form<std::int64_t>(Element::address, -1, Bytes(8, 0xff));
  expect_form<Int128>(Element::fortran_i128, (static_cast<Int128>(0x0102030405060708) << 64) | 0x090a0b0c0d0e0f10,
                      {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
}

TEST(External32, LongsHaveFourBytes) {
  expect_form<long>(Element::c_long, -2, {0xff, 0xff, 0xff, 0xfe});
  expect_form<long>(Element::c_long, 0x7fffffff, {0x7f, 0xff, 0xff, 0xff});
  expect_form<unsigned long>(Element::c_ulong, 0xfffffffeu, {0xff, 0xff, 0xff, 0xfe});
}

TEST(External32, AValueWithoutRoomIsAnErrorAndNeverWraps) {
  const auto refused = [](Element element, auto value) {
    try {
      outside(element, value);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::conversion);
      return std::string(error.what());
    }
    return std::string("was taken");
  };
  EXPECT_EQ(
      refused(Element::c_long, 2147483648L),
      "an MPI_LONG is 2147483648, which external32 cannot hold: it has 4 bytes for it, -2147483648 to 2147483647");
  EXPECT_NE(refused(Element::c_long, -2147483649L), "was taken");
  EXPECT_NE(refused(Element::c_ulong, 4294967296UL), "was taken");
  EXPECT_NE(refused(Element::wide_character, wchar_t{0x1f600}), "was taken");
}

TEST(External32, FloatingPointIsIeeeBigEndian) {
  expect_form(Element::f16, Half(-2.0f).bits, {0xc0, 0x00});
  expect_form(Element::f32, 1.0f, {0x3f, 0x80, 0, 0});
  expect_form(Element::f32, -std::numeric_limits<float>::infinity(), {0xff, 0x80, 0, 0});
  expect_form(Element::f32, std::numeric_limits<float>::denorm_min(), {0, 0, 0, 1});
  expect_form(Element::f64, -2.5, {0xc0, 0x04, 0, 0, 0, 0, 0, 0});
  expect_form(Element::f64, 0x1.0000000000001p0, {0x3f, 0xf0, 0, 0, 0, 0, 0, 1});
  expect_form<Float128>(Element::f128, -1, sixteen({0xbf, 0xff}));
  expect_form<Float128>(Element::f128, 0.5, sixteen({0x3f, 0xfe}));
}

TEST(External32, ComplexNumbersAreTwoParts) {
  expect_form(Element::c32, std::complex<float>(1, -2), {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0});
  expect_form(Element::c64, std::complex<double>(1, -2), {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0});
  Bytes extended = sixteen({0x3f, 0xff});
  const Bytes imaginary = sixteen({0xc0, 0x00});
  extended.insert(extended.end(), imaginary.begin(), imaginary.end());
  expect_form(Element::c80, std::complex<long double>(1, -2), extended);
  const ComplexOf<Half> halves{Half(1), Half(-2)};
  EXPECT_EQ(outside(Element::c16, halves), (Bytes{0x3c, 0, 0xc0, 0}));
}

/// A long double has the 80 bits of the x87, fewer than in external32, or it is a binary128 number as there, or a pair
/// of doubles (POWER), whose exponents reach less far.
constexpr bool has_80_bits = std::numeric_limits<long double>::digits == 64;
constexpr bool is_binary128 = std::numeric_limits<long double>::digits == 113;
constexpr bool is_pair = std::numeric_limits<long double>::digits == 106;
static_assert(has_80_bits || is_binary128 || is_pair);

TEST(External32, LongDoublesHaveSixteenBytes) {
  using Limits = std::numeric_limits<long double>;
  expect_form(Element::f80, 0.0L, Bytes(16, 0));
  EXPECT_EQ(outside(Element::f80, -0.0L), sixteen({0x80}));
  expect_form(Element::f80, 1.0L, sixteen({0x3f, 0xff}));
  expect_form(Element::f80, -2.5L, sixteen({0xc0, 0x00, 0x40}));
  expect_form(Element::f80, 1.0L + 0x1p-63L, quad({0x3f, 0xff}, 0x02));
  expect_form(Element::f80, Limits::infinity(), sixteen({0x7f, 0xff}));
  expect_form(Element::f80, -Limits::infinity(), sixteen({0xff, 0xff}));
  if (!is_pair) {
    Bytes greatest(16, 0xff);
    greatest[0] = 0x7f;
    greatest[1] = 0xfe;
    if (has_80_bits) greatest = quad({0x7f, 0xfe, 255, 255, 255, 255, 255, 255, 255}, 0xfe);
    expect_form(Element::f80, Limits::max(), greatest);
    expect_form(Element::f80, Limits::min(), sixteen({0x00, 0x01}));
    expect_form(Element::f80, Limits::denorm_min(), has_80_bits ? quad({}, 0x02) : quad({}, 0, 1));
    expect_form(Element::f80, Limits::min() / 2, sixteen({0x00, 0x00, 0x80}));
  }
  const Bytes nan = outside(Element::f80, Limits::quiet_NaN());
  EXPECT_EQ(nan[0] & 0x7f, 0x7f);
  EXPECT_EQ(nan[1], 0xff);
  EXPECT_NE(nan[2], 0) << "all zeros would be infinity";
  EXPECT_TRUE(std::isnan(inside<long double>(Element::f80, sixteen({0x7f, 0xff, 0x80}))));
  EXPECT_TRUE(std::isnan(inside<long double>(Element::f80, sixteen({0xff, 0xff, 0, 0, 1})))) << "a signalling one";
}

TEST(External32, LongDoublesFromOutsideKeepAllBitsOrAreRoundedToTheNearestTiesToEven) {
  const auto read = [](const Bytes& bytes) { return inside<long double>(Element::f80, bytes); };
  if (!has_80_bits) {
    for (const Bytes& bytes : {quad({0x3f, 0xff}, 0x01), quad({0x3f, 0xff}, 0x00, 0xff)})
      EXPECT_EQ(outside(Element::f80, read(bytes)), bytes);
    const Bytes smallest = quad({}, 0x01, 0x01);
    EXPECT_EQ(outside(Element::f80, read(smallest)), is_pair ? Bytes(16, 0) : smallest);
    return;
  }
  EXPECT_EQ(read(quad({0x3f, 0xff}, 0x01)), 1.0L) << "a tie, down to the even one";
  EXPECT_EQ(read(quad({0x3f, 0xff}, 0x03)), 1.0L + 0x1p-62L) << "a tie, up to the even one";
  EXPECT_EQ(read(quad({0x3f, 0xff}, 0x01, 0x01)), 1.0L + 0x1p-63L) << "just above a tie";
  EXPECT_EQ(read(quad({0x3f, 0xff}, 0x00, 0xff)), 1.0L) << "below a tie";
  EXPECT_EQ(read(quad({0x3f, 0xff, 255, 255, 255, 255, 255, 255, 255}, 0xff)), 2.0L) << "carries into the exponent";
  EXPECT_EQ(read(quad({0x7f, 0xfe, 255, 255, 255, 255, 255, 255, 255}, 0xff)),
            std::numeric_limits<long double>::infinity());
  EXPECT_EQ(read(quad({}, 0x00, 0x01)), 0.0L) << "less than half of the smallest";
  EXPECT_EQ(read(quad({}, 0x01)), 0.0L) << "half of the smallest: a tie";
  EXPECT_EQ(read(quad({}, 0x01, 0x01)), std::numeric_limits<long double>::denorm_min());
}

TEST(External32, TruthIsOneAndEverythingElseThanZeroIsTrue) {
  expect_form(Element::boolean, true, {1});
  expect_form(Element::boolean, false, {0});
  EXPECT_TRUE(inside<bool>(Element::boolean, {0x80}));
  expect_form<std::int32_t>(Element::l32, 1, {0, 0, 0, 1});
  expect_form<std::int64_t>(Element::l64, 0, Bytes(8, 0));
  EXPECT_EQ(outside(Element::l32, std::int32_t{-1}), (Bytes{0, 0, 0, 1})) << "another compiler's .TRUE.";
  EXPECT_EQ(inside<std::int32_t>(Element::l32, {1, 0, 0, 0}), 1) << "every byte counts";
  EXPECT_EQ(inside<std::int16_t>(Element::l16, {0x10, 0}), 1);
  expect_form<Int128>(Element::l128, 1, quad({}, 0, 1));
}

TEST(External32, CharactersKeepTheirBytesAndWideOnesHaveTwo) {
  expect_form(Element::character, 'A', {0x41});
  expect_form<std::uint8_t>(Element::byte, 0xc3, {0xc3});
  expect_form<std::uint8_t>(Element::packed, 0x5a, {0x5a});
  expect_form(Element::wide_character, L'A', {0, 0x41});
  expect_form(Element::wide_character, wchar_t{0xffff}, {0xff, 0xff});
}

TEST(External32, PairsLoseTheirPadding) {
  struct ShortInt {
    short value;
    int index;
    bool operator==(const ShortInt& other) const { return value == other.value && index == other.index; }
  };
  expect_form<ShortInt>(Element::i16_i32, {0x0102, 0x03040506}, {1, 2, 3, 4, 5, 6});
  struct DoubleInt {
    double value;
    int index;
    bool operator==(const DoubleInt& other) const { return value == other.value && index == other.index; }
  };
  expect_form<DoubleInt>(Element::f64_i32, {1.0, 7}, {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7});
  struct LongInt {
    long value;
    int index;
    bool operator==(const LongInt& other) const { return value == other.value && index == other.index; }
  };
  expect_form<LongInt>(Element::long_i32, {-1, 2}, {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2});
  struct LongDoubleInt {
    long double value;
    int index;
    bool operator==(const LongDoubleInt& other) const { return value == other.value && index == other.index; }
  };
  Bytes bytes = sixteen({0x3f, 0xff});
  bytes.insert(bytes.end(), {0, 0, 1, 0});
  expect_form<LongDoubleInt>(Element::f80_i32, {1.0L, 256}, bytes);
  struct Ints {
    int value;
    int index;
    bool operator==(const Ints& other) const { return value == other.value && index == other.index; }
  };
  expect_form<Ints>(Element::i32_i32, {1, 2}, {0, 0, 0, 1, 0, 0, 0, 2});
}

TEST(External32, ArraysAreConvertedAtAnyAddress) {
  for (const Length& row : lengths) {
    constexpr std::size_t n = 37;
    const std::size_t size = native_size(row.element);
    std::vector<std::byte> native(n * size + 1);
    // Small values that every type can hold; as truth values they are 0 and 1.
    for (std::size_t i = 0; i < n; ++i) native[1 + i * size] = std::byte(i % 2);
    std::vector<std::byte> external(n * row.bytes + 1, std::byte{0xee});
    std::vector<std::byte> back(native.size());
    to_external32(row.element, native.data() + 1, external.data() + 1, n);
    EXPECT_EQ(external[0], std::byte{0xee});
    from_external32(row.element, external.data() + 1, back.data() + 1, n);
    EXPECT_EQ(back, native) << static_cast<int>(row.element);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<std::byte> one(row.bytes);
      to_external32(row.element, native.data() + 1 + i * size, one.data(), 1);
      EXPECT_EQ(std::memcmp(one.data(), external.data() + 1 + i * row.bytes, row.bytes), 0) << i;
    }
  }
}

}  // namespace
}  // namespace bowline::dtype
