// SPDX-License-Identifier: BSD-3-Clause
// The tables of predefined datatypes and operators (MPI-5.0, section 21.3.7 for the handle values).
#include "dtype/predefined.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "dtype/native.hpp"

namespace bowline::dtype {
namespace {

struct TypeRow {
  std::uint16_t handle;
  const char* name;
  Element element;
};

struct OpRow {
  std::uint16_t handle;
  const char* name;
  Operator op;
};

constexpr TypeRow type_rows[] = {
    {0x201, "MPI_AINT", Element::address},
    {0x202, "MPI_COUNT", Element::address},
    {0x203, "MPI_OFFSET", Element::address},
    {0x207, "MPI_PACKED", Element::packed},
    {0x208, "MPI_SHORT", Element::i16},
    {0x209, "MPI_INT", Element::i32},
    {0x20a, "MPI_LONG", Element::c_long},
    {0x20b, "MPI_LONG_LONG", Element::i64},
    {0x20c, "MPI_UNSIGNED_SHORT", Element::u16},
    {0x20d, "MPI_UNSIGNED", Element::u32},
    {0x20e, "MPI_UNSIGNED_LONG", Element::c_ulong},
    {0x20f, "MPI_UNSIGNED_LONG_LONG", Element::u64},
    {0x210, "MPI_FLOAT", Element::f32},
    {0x212, "MPI_C_FLOAT_COMPLEX", Element::c32},
    {0x213, "MPI_CXX_FLOAT_COMPLEX", Element::c32},
    {0x214, "MPI_DOUBLE", Element::f64},
    {0x216, "MPI_C_DOUBLE_COMPLEX", Element::c64},
    {0x217, "MPI_CXX_DOUBLE_COMPLEX", Element::c64},
    {0x218, "MPI_LOGICAL", Element::l32},
    {0x219, "MPI_INTEGER", Element::fortran_i32},
    {0x21a, "MPI_REAL", Element::f32},
    {0x21b, "MPI_COMPLEX", Element::c32},
    {0x21c, "MPI_DOUBLE_PRECISION", Element::f64},
    {0x21d, "MPI_DOUBLE_COMPLEX", Element::c64},
    {0x21e, "MPI_CHARACTER", Element::character},
    {0x220, "MPI_LONG_DOUBLE", Element::f80},
    {0x224, "MPI_C_LONG_DOUBLE_COMPLEX", Element::c80},
    {0x225, "MPI_CXX_LONG_DOUBLE_COMPLEX", Element::c80},
    {0x228, "MPI_FLOAT_INT", Element::f32_i32},
    {0x229, "MPI_DOUBLE_INT", Element::f64_i32},
    {0x22a, "MPI_LONG_INT", Element::long_i32},
    {0x22b, "MPI_2INT", Element::i32_i32},
    {0x22c, "MPI_SHORT_INT", Element::i16_i32},
    {0x22d, "MPI_LONG_DOUBLE_INT", Element::f80_i32},
    {0x230, "MPI_2REAL", Element::f32_f32},
    {0x231, "MPI_2DOUBLE_PRECISION", Element::f64_f64},
    {0x232, "MPI_2INTEGER", Element::fortran_i32_i32},
    {0x238, "MPI_C_BOOL", Element::boolean},
    {0x239, "MPI_CXX_BOOL", Element::boolean},
    {0x23c, "MPI_WCHAR", Element::wide_character},
    {0x240, "MPI_INT8_T", Element::i8},
    {0x241, "MPI_UINT8_T", Element::u8},
    {0x243, "MPI_CHAR", Element::character},
    {0x244, "MPI_SIGNED_CHAR", Element::i8},
    {0x245, "MPI_UNSIGNED_CHAR", Element::u8},
    {0x247, "MPI_BYTE", Element::byte},
    {0x248, "MPI_INT16_T", Element::i16},
    {0x249, "MPI_UINT16_T", Element::u16},
    {0x250, "MPI_INT32_T", Element::i32},
    {0x251, "MPI_UINT32_T", Element::u32},
    {0x258, "MPI_INT64_T", Element::i64},
    {0x259, "MPI_UINT64_T", Element::u64},
    {0x2c0, "MPI_LOGICAL1", Element::l8},
    {0x2c1, "MPI_INTEGER1", Element::fortran_i8},
    {0x2c8, "MPI_LOGICAL2", Element::l16},
    {0x2c9, "MPI_INTEGER2", Element::fortran_i16},
    {0x2ca, "MPI_REAL2", Element::f16},
    {0x2d0, "MPI_LOGICAL4", Element::l32},
    {0x2d1, "MPI_INTEGER4", Element::fortran_i32},
    {0x2d2, "MPI_REAL4", Element::f32},
    {0x2d3, "MPI_COMPLEX4", Element::c16},
    {0x2d8, "MPI_LOGICAL8", Element::l64},
    {0x2d9, "MPI_INTEGER8", Element::fortran_i64},
    {0x2da, "MPI_REAL8", Element::f64},
    {0x2db, "MPI_COMPLEX8", Element::c32},
    {0x2e0, "MPI_LOGICAL16", Element::l128},
    {0x2e1, "MPI_INTEGER16", Element::fortran_i128},
    {0x2e2, "MPI_REAL16", Element::f128},
    {0x2e3, "MPI_COMPLEX16", Element::c64},
    {0x2eb, "MPI_COMPLEX32", Element::c128},
};

constexpr OpRow op_rows[] = {
    {0x21, "MPI_SUM", Operator::sum},         {0x22, "MPI_MIN", Operator::min},
    {0x23, "MPI_MAX", Operator::max},         {0x24, "MPI_PROD", Operator::prod},
    {0x28, "MPI_BAND", Operator::band},       {0x29, "MPI_BOR", Operator::bor},
    {0x2a, "MPI_BXOR", Operator::bxor},       {0x30, "MPI_LAND", Operator::land},
    {0x31, "MPI_LOR", Operator::lor},         {0x32, "MPI_LXOR", Operator::lxor},
    {0x38, "MPI_MINLOC", Operator::minloc},   {0x39, "MPI_MAXLOC", Operator::maxloc},
    {0x3c, "MPI_REPLACE", Operator::replace}, {0x3d, "MPI_NO_OP", Operator::no_op},
};

constexpr std::uintptr_t op_slots = 0x40;

template <class Value, class Index>
std::unique_ptr<Datatype> pair_type(const char* name, Element element) {
  using Layout = Pair<Value, Index>;
  std::vector<Block> blocks;
  if (offsetof(Layout, index) == sizeof(Value)) {
    blocks = {{0, sizeof(Value) + sizeof(Index)}};
  } else {
    blocks = {{0, sizeof(Value)}, {offsetof(Layout, index), sizeof(Index)}};
  }
  return std::make_unique<Datatype>(name, element, std::move(blocks), sizeof(Layout));
}

std::unique_ptr<Datatype> make_type(const TypeRow& row) {
  switch (row.element) {
    case Element::f32_i32:
      return pair_type<float, int>(row.name, row.element);
    case Element::f64_i32:
      return pair_type<double, int>(row.name, row.element);
    case Element::long_i32:
      return pair_type<long, int>(row.name, row.element);
    case Element::fortran_i32_i32:
    case Element::i32_i32:
      return pair_type<int, int>(row.name, row.element);
    case Element::i16_i32:
      return pair_type<short, int>(row.name, row.element);
    case Element::f80_i32:
      return pair_type<long double, int>(row.name, row.element);
    case Element::f32_f32:
      return pair_type<float, float>(row.name, row.element);
    case Element::f64_f64:
      return pair_type<double, double>(row.name, row.element);
    default: {
      const std::size_t size = native_size(row.element);
      return std::make_unique<Datatype>(row.name, row.element, std::vector<Block>{{0, size}}, size);
    }
  }
}

struct OpTable {
  std::array<std::unique_ptr<const Op>, op_slots> slots;

  std::array<const Op*, operator_count> by_operator{};

  OpTable() {
    for (const OpRow& row : op_rows) {
      slots[row.handle] = std::make_unique<const Op>(row.name, row.op);
      by_operator[static_cast<std::size_t>(row.op)] = slots[row.handle].get();
    }
  }
};

const OpTable ops;

}  // namespace

detail::TypeTable::TypeTable() {
  for (const TypeRow& row : type_rows) {
    slots[row.handle - first_type] = make_type(row);
    const Datatype*& first = by_element[static_cast<std::size_t>(row.element)];
    if (first == nullptr) first = slots[row.handle - first_type].get();
  }
}

const detail::TypeTable detail::types;

using detail::types;

std::uintptr_t handle_of(const Datatype& type) noexcept {
  if (!type.predefined()) return 0;
  for (std::uintptr_t slot = 0; slot < types.slots.size(); ++slot) {
    if (types.slots[slot].get() == &type) return types.first_type + slot;
  }
  return 0;
}

const Datatype& type_of(Element element) noexcept {
  return *types.by_element[static_cast<std::size_t>(element)];
}

const Op* predefined_op(std::uintptr_t handle) noexcept {
  return handle < op_slots ? ops.slots[handle].get() : nullptr;
}

const Op& op_of(Operator op) noexcept {
  return *ops.by_operator[static_cast<std::size_t>(op)];
}

const Datatype& byte_type() noexcept {
  constexpr std::uintptr_t mpi_byte = 0x247;
  return *types.slots[mpi_byte - types.first_type];
}

}  // namespace bowline::dtype
