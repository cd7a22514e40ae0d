// SPDX-License-Identifier: BSD-3-Clause
// Those of MPI's own attributes that are numbers with special values.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "abi.hpp"
#include "front/pair.hpp"

namespace front {

struct SpecialAttribute {
  int keyval;
  int (*out)(int) noexcept;
  std::span<const Pair> values;  ///< all that it can have, each for the life of its object; empty: the value changes
};
inline constexpr SpecialAttribute special_attribute_table[] = {
    {MPI_IO, abi::out_rank, abi::rank_pairs},
    {MPI_HOST, abi::out_rank, abi::rank_pairs},
    {MPI_LASTUSEDCODE, abi::out_error, {}},
    {MPI_WIN_CREATE_FLAVOR, abi::out_window_flavor, abi::window_flavor_pairs},
    {MPI_WIN_MODEL, abi::out_window_model, abi::window_model_pairs}};

/// The row of a key of the standard ABI; nullptr if its values need no conversion.
inline const SpecialAttribute* special_attribute(int keyval) noexcept {
  const auto* const found = std::find_if(std::begin(special_attribute_table), std::end(special_attribute_table),
                                         [keyval](const SpecialAttribute& each) { return each.keyval == keyval; });
  return found == std::end(special_attribute_table) ? nullptr : found;
}

}  // namespace front
