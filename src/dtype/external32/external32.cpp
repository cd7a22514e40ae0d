// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/external32/external32.hpp"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "dtype/external32/external32_values.hpp"
#include "dtype/native.hpp"

namespace bowline::dtype {
namespace {

using external32::Logical;
using external32::LongDouble;
using external32::Number;
using external32::SignedLong;
using external32::swapped;
using external32::UnsignedLong;
using external32::WideCharacter;

enum class ScalarForm : std::uint8_t { number, signed_long, unsigned_long, wide_character, logical, long_double };

/// One of the values that make up an element.
struct Scalar {
  ScalarForm form;
  std::uint8_t native;    ///< bytes in memory
  std::uint8_t external;  ///< bytes in external32
};

constexpr Scalar number(std::size_t bytes) {
  return {ScalarForm::number, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes)};
}
constexpr Scalar logical(std::size_t bytes) {
  return {ScalarForm::logical, static_cast<std::uint8_t>(bytes), static_cast<std::uint8_t>(bytes)};
}
constexpr Scalar signed_long{ScalarForm::signed_long, sizeof(long), 4};
constexpr Scalar unsigned_long{ScalarForm::unsigned_long, sizeof(long), 4};
constexpr Scalar wide_character{ScalarForm::wide_character, sizeof(wchar_t), 2};
constexpr Scalar long_double{ScalarForm::long_double, sizeof(long double), 16};

struct Scalars {
  Scalar first;
  std::uint8_t repeat = 1;     ///< number of consecutive `first` values
  Scalar second = number(0);   ///< the index of a pair
  std::uint8_t second_at = 0;  ///< its offset in memory
};

template <class Value>
constexpr Scalars with_index(Scalar value) {
  using Layout = Pair<Value, int>;
  return {value, 1, number(sizeof(int)), offsetof(Layout, index)};
}

constexpr Scalars parts_of(Element element) {
  switch (element) {
    case Element::c_long:
      return {signed_long};
    case Element::c_ulong:
      return {unsigned_long};
    case Element::wide_character:
      return {wide_character};
    case Element::f80:
      return {long_double};
    case Element::boolean:
    case Element::l8:
    case Element::l16:
    case Element::l32:
    case Element::l64:
    case Element::l128:
      return {logical(native_size(element))};
    case Element::c80:
      return {long_double, 2};
    case Element::c16:
    case Element::c32:
    case Element::c64:
    case Element::c128:
    case Element::i32_i32:
    case Element::f32_f32:
    case Element::f64_f64:
    case Element::fortran_i32_i32:
      return {number(native_size(element) / 2), 2};
    case Element::f32_i32:
      return with_index<float>(number(sizeof(float)));
    case Element::f64_i32:
      return with_index<double>(number(sizeof(double)));
    case Element::long_i32:
      return with_index<long>(signed_long);
    case Element::i16_i32:
      return with_index<short>(number(sizeof(short)));
    case Element::f80_i32:
      return with_index<long double>(long_double);
    default:
      return {number(native_size(element))};
  }
}

// ---- arrays of values

enum class Conversion : std::uint8_t { out, in };

/// `n` parts to convert: source and target of the first part, and the distances to the next parts.
struct Run {
  const std::byte* from;
  std::size_t from_stride;
  std::byte* to;
  std::size_t to_stride;
  std::size_t n;
};

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  constexpr bool x87 = std::is_same_v<T, long double> && std::numeric_limits<T>::digits == 64;
  std::memcpy(to, &value, x87 ? 10 : sizeof value);
}

template <class Value, Conversion conversion>
void loop(const std::byte* from, std::size_t from_stride, std::byte* to, std::size_t to_stride, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i, from += from_stride, to += to_stride) {
    if constexpr (conversion == Conversion::out) {
      store<typename Value::External>(to, swapped(Value::out(load<typename Value::Native>(from))));
    } else {
      store<typename Value::Native>(to, Value::in(swapped(load<typename Value::External>(from))));
    }
  }
}

template <class Value, Conversion conversion>
void convert(const Run& run) {
  constexpr bool out = conversion == Conversion::out;
  constexpr std::size_t from_size = out ? sizeof(typename Value::Native) : sizeof(typename Value::External);
  constexpr std::size_t to_size = out ? sizeof(typename Value::External) : sizeof(typename Value::Native);
  if (run.from_stride == from_size && run.to_stride == to_size) {  // the compiler vectorizes this loop
    loop<Value, conversion>(run.from, from_size, run.to, to_size, run.n);
  } else {
    loop<Value, conversion>(run.from, run.from_stride, run.to, run.to_stride, run.n);
  }
}

template <template <class> class Value, Conversion conversion>
void convert_words(std::size_t bytes, const Run& run) {
  switch (bytes) {
    case 1:
      return convert<Value<std::uint8_t>, conversion>(run);
    case 2:
      return convert<Value<std::uint16_t>, conversion>(run);
    case 4:
      return convert<Value<std::uint32_t>, conversion>(run);
    case 8:
      return convert<Value<std::uint64_t>, conversion>(run);
    default:
      return convert<Value<Unsigned128>, conversion>(run);
  }
}

template <Conversion conversion>
void convert_part(const Scalar& part, const Run& run) {
  switch (part.form) {
    case ScalarForm::number:
      return convert_words<Number, conversion>(part.native, run);
    case ScalarForm::logical:
      return convert_words<Logical, conversion>(part.native, run);
    case ScalarForm::signed_long:
      return convert<SignedLong, conversion>(run);
    case ScalarForm::unsigned_long:
      return convert<UnsignedLong, conversion>(run);
    case ScalarForm::wide_character:
      return convert<WideCharacter, conversion>(run);
    case ScalarForm::long_double:
      return convert<LongDouble, conversion>(run);
  }
}

template <Conversion conversion>
void convert_elements(Element element, const std::byte* from, std::byte* to, std::size_t n) {
  const Scalars parts = parts_of(element);
  constexpr bool out = conversion == Conversion::out;
  if (parts.second_at == 0) {
    const std::size_t native = parts.first.native;
    const std::size_t external = parts.first.external;
    return convert_part<conversion>(parts.first,
                                    {from, out ? native : external, to, out ? external : native, n * parts.repeat});
  }
  const std::size_t native = native_size(element);
  const std::size_t external = external32_size(element);
  const std::size_t from_stride = out ? native : external;
  const std::size_t to_stride = out ? external : native;
  const std::size_t from_second = out ? parts.second_at : parts.first.external;
  const std::size_t to_second = out ? parts.first.external : parts.second_at;
  convert_part<conversion>(parts.first, {from, from_stride, to, to_stride, n});
  convert_part<conversion>(parts.second, {from + from_second, from_stride, to + to_second, to_stride, n});
}

}  // namespace

std::size_t external32_size(Element element) noexcept {
  const Scalars parts = parts_of(element);
  return parts.repeat * std::size_t{parts.first.external} + parts.second.external;
}

void to_external32(Element element, const std::byte* native, std::byte* external, std::size_t n) {
  convert_elements<Conversion::out>(element, native, external, n);
}

void from_external32(Element element, const std::byte* external, std::byte* native, std::size_t n) {
  convert_elements<Conversion::in>(element, external, native, n);
}

}  // namespace bowline::dtype
