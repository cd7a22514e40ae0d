// SPDX-License-Identifier: BSD-3-Clause
// What the padding behind the data of an inner type means for the types made of it.
#pragma once

#include <cstdint>
#include <vector>

#include "dtype/bounds.hpp"
#include "dtype/datatype.hpp"

namespace bowline::dtype {

enum class Padding : std::uint8_t {
  counts,  ///< the upper bound of each copy counts, as in other MPI libraries
  drops,   ///< only the data count, as in the type map of MPI-5.0, section 5.1
};

/// The rule for the types that this process makes; set while MPI starts.
Padding padding_rule() noexcept;
void set_padding_rule(Padding rule) noexcept;

/// The bounds of a composed datatype under a rule. Throws Error (arg) if a number does not fit 64 bits.
Bounds bounds_of(const Composition& composition, Padding padding);

/// compose() under a rule.
Datatype& compose(Envelope envelope, std::vector<TypeRef> types, Padding padding);

}  // namespace bowline::dtype
