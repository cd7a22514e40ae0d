// SPDX-License-Identifier: BSD-3-Clause
// Those of MPI's own attributes that are numbers with special values.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <iterator>

#include "abi.hpp"

namespace front {

struct SpecialAttribute {
  int keyval;
  int (*out)(int) noexcept;
};
inline constexpr SpecialAttribute special_attribute_table[] = {{MPI_IO, abi::out_rank},
                                                               {MPI_HOST, abi::out_rank},
                                                               {MPI_LASTUSEDCODE, abi::out_error},
                                                               {MPI_WIN_CREATE_FLAVOR, abi::out_window_flavor},
                                                               {MPI_WIN_MODEL, abi::out_window_model}};
inline constexpr int special_attributes = static_cast<int>(std::size(special_attribute_table));

/// The place of a key of the standard ABI in the table; -1 if its values need no conversion.
inline int special_attribute(int keyval) noexcept {
  const auto* const found = std::find_if(std::begin(special_attribute_table), std::end(special_attribute_table),
                                         [keyval](const SpecialAttribute& each) { return each.keyval == keyval; });
  return found == std::end(special_attribute_table) ? -1 : static_cast<int>(found - special_attribute_table);
}
inline int out_special_attribute(int which, int standard) noexcept {
  return special_attribute_table[which].out(standard);
}

}  // namespace front
