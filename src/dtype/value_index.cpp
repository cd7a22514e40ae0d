// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/value_index.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "dtype/construction/construct.hpp"
#include "dtype/groups.hpp"
#include "dtype/native.hpp"

namespace bowline::dtype {
namespace {

/// Whether the left number precedes the right number: the lesser number comes first, or the greater one if not `least`.
/// NaN precedes all numbers, as in the predefined pairs.
using Precedes = bool (*)(bool least, const std::byte* left, const std::byte* right);

template <Element element>
bool precedes_as(bool least, const std::byte* left, const std::byte* right) {
  Native<element> a, b;
  std::memcpy(&a, left, sizeof a);
  std::memcpy(&b, right, sizeof b);
  const bool left_is_nan = a != a, right_is_nan = b != b;  // NOLINT(misc-redundant-expression)
  if (left_is_nan || right_is_nan) return left_is_nan && !right_is_nan;
  return least ? a < b : b < a;
}

/// nullptr for elements without an order.
Precedes order_of(Element element) noexcept {
  switch (element) {
    case Element::i8:
    case Element::fortran_i8:
      return precedes_as<Element::i8>;
    case Element::i16:
    case Element::fortran_i16:
      return precedes_as<Element::i16>;
    case Element::i32:
    case Element::fortran_i32:
      return precedes_as<Element::i32>;
    case Element::i64:
    case Element::c_long:
    case Element::fortran_i64:
    case Element::address:
      return precedes_as<Element::i64>;
    case Element::fortran_i128:
      return precedes_as<Element::fortran_i128>;
    case Element::u8:
      return precedes_as<Element::u8>;
    case Element::u16:
      return precedes_as<Element::u16>;
    case Element::u32:
      return precedes_as<Element::u32>;
    case Element::u64:
    case Element::c_ulong:
      return precedes_as<Element::u64>;
    case Element::f32:
      return precedes_as<Element::f32>;
    case Element::f64:
      return precedes_as<Element::f64>;
    case Element::f80:
      return precedes_as<Element::f80>;
    case Element::f128:
      return precedes_as<Element::f128>;
    default:
      return nullptr;
  }
}

bool is_integer(Element element) noexcept {
  const Group group = group_of(element);
  return group == Group::c_integer || group == Group::fortran_integer || group == Group::multi_language;
}

std::size_t padded_to(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The offset of the index. Numbers are aligned to their length.
std::size_t index_offset(const Datatype& value, const Datatype& index) noexcept {
  return padded_to(native_size(value.element()), native_size(index.element()));
}

Datatype& make_pair_type(const Datatype& value, const Datatype& index) {
  const std::size_t offset = index_offset(value, index);
  const std::size_t longest = std::max(native_size(value.element()), native_size(index.element()));
  const std::size_t extent = padded_to(offset + native_size(index.element()), longest);
  Envelope parts{.combiner = Combiner::structure, .large = true};
  parts.counts = {2, 1, 1, 0, static_cast<std::int64_t>(offset)};
  Datatype& both = compose(std::move(parts), {TypeRef(value), TypeRef(index)});
  Envelope whole{.combiner = Combiner::resized, .large = true};
  whole.counts = {0, static_cast<std::int64_t>(extent)};
  Datatype& padded = resize(std::move(whole), both, 0, static_cast<std::int64_t>(extent));
  both.drop_handle();
  Datatype& made =
      Datatype::make({.combiner = Combiner::value_index}, {TypeRef(value), TypeRef(index)}, padded.bounds(), &padded);
  padded.drop_handle();
  made.commit();
  return made;
}

}  // namespace

Datatype* value_index_type(const Datatype& value, const Datatype& index) {
  if (!value.predefined() || !index.predefined()) return nullptr;
  if (order_of(value.element()) == nullptr || !is_integer(index.element())) return nullptr;
  static constinit std::mutex mutex;
  static auto& made = *new std::map<std::pair<const Datatype*, const Datatype*>, Datatype*>;
  const std::lock_guard hold(mutex);
  Datatype*& type = made[{&value, &index}];
  if (type == nullptr) type = &make_pair_type(value, index);
  return type;
}

bool is_value_index(const Datatype& type) noexcept {
  return type.envelope().combiner == Combiner::value_index;
}

void locate(bool least, const void* in, void* inout, std::size_t count, const Datatype& type) noexcept {
  const Datatype& value = *type.types()[0];
  const Datatype& index = *type.types()[1];
  const Precedes value_order = order_of(value.element()), index_order = order_of(index.element());
  const std::size_t offset = index_offset(value, index);
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(inout);
  for (std::size_t i = 0; i < count; ++i, from += type.extent(), to += type.extent()) {
    const bool tie = !value_order(least, from, to) && !value_order(least, to, from);
    if (tie ? !index_order(true, from + offset, to + offset) : !value_order(least, from, to)) continue;
    std::memcpy(to, from, value.size());
    std::memcpy(to + offset, from + offset, index.size());
  }
}

}  // namespace bowline::dtype
