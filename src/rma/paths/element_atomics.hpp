// SPDX-License-Identifier: BSD-3-Clause
// Accumulates to single elements by atomic instructions of the processor: integers of four and eight bytes.
//
// All accumulates to one location use the same datatype (MPI-5.0, section 12.7.1), so the datatype alone decides
// whether the accumulates to a location are instructions or take the target's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "dtype/element.hpp"
#include "dtype/groups.hpp"
#include "dtype/native.hpp"
#include "dtype/op.hpp"

namespace bowline::rma {

namespace detail {

/// The bytes of an element that the processor updates by atomic instructions; 0 for all others, and for
/// Element::count_, which is the element of a pair without a name.
constexpr std::uint8_t atomic_size(dtype::Element element) noexcept {
  const dtype::Group group = dtype::group_of(element);
  const bool integer = group == dtype::Group::c_integer || group == dtype::Group::fortran_integer ||
                       group == dtype::Group::multi_language;
  if (!integer) return 0;
  const std::size_t size = dtype::native_size(element);
  return size == 4 || size == 8 ? static_cast<std::uint8_t>(size) : 0;
}

inline constexpr auto atomic_sizes = [] {
  std::array<std::uint8_t, dtype::element_count + 1> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = atomic_size(static_cast<dtype::Element>(i));
  return sizes;
}();

}  // namespace detail

/// Whether the processor accumulates elements of this kind at this address by atomic instructions.
inline bool has_atomics(dtype::Element element, const void* address) noexcept {
  const std::uint8_t size = detail::atomic_sizes[static_cast<std::size_t>(element)];
  return size != 0 && (reinterpret_cast<std::uintptr_t>(address) & (size - 1U)) == 0;
}

/// target[i] = in[i] (op) target[i] for `count` such elements, each atomically. `old`: gets the former values; may be
/// nullptr. `in` and `old` need not be aligned; `in` is not used by MPI_NO_OP.
void accumulate_atomically(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, std::byte* target,
                           std::byte* old, std::size_t count);

/// Compares the element at `target` with `compare` and replaces it by `swap` if they are equal; stores the former value
/// in `old`.
void swap_atomically(dtype::Element element, const std::byte* compare, const std::byte* swap, std::byte* target,
                     std::byte* old) noexcept;

}  // namespace bowline::rma
