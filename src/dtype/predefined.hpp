// SPDX-License-Identifier: BSD-3-Clause
// The predefined datatypes and operators, found by the number that is their handle in the standard ABI.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "dtype/datatype.hpp"
#include "dtype/op.hpp"

namespace bowline::dtype {

namespace detail {

/// The predefined datatypes, whose handles are the numbers from `first_type` on. Set before any function of MPI runs.
struct TypeTable {
  static constexpr std::uintptr_t first_type = 0x200;

  std::array<std::unique_ptr<Datatype>, 0x100> slots;
  std::array<const Datatype*, element_count> by_element{};

  TypeTable();
};
extern const TypeTable types;

}  // namespace detail

/// The predefined datatype with this ABI handle value, for callers that may change its name; nullptr if the number is
/// not a datatype. Constant time.
inline Datatype* predefined_datatype(std::uintptr_t handle) noexcept {
  const std::uintptr_t slot = handle - detail::TypeTable::first_type;
  return slot < detail::types.slots.size() ? detail::types.slots[slot].get() : nullptr;
}

/// The ABI handle value of a named predefined datatype; 0 for all other types.
std::uintptr_t handle_of(const Datatype& type) noexcept;

/// A predefined datatype with this element. All of them are alike but for their names. Constant time.
const Datatype& type_of(Element element) noexcept;

/// The predefined operator with this ABI handle value; nullptr if the number is not an operator. Constant time.
const Op* predefined_op(std::uintptr_t handle) noexcept;

/// The predefined operator of this kind. Constant time.
const Op& op_of(Operator op) noexcept;

/// MPI_BYTE, which the library uses internally.
const Datatype& byte_type() noexcept;

}  // namespace bowline::dtype
