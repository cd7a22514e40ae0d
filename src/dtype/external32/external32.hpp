// SPDX-License-Identifier: BSD-3-Clause
// external32: the portable representation of the predefined datatypes (MPI-5.0, section 14.5.2). Big endian, without
// padding, floating point in the IEEE formats of 2, 4, 8 and 16 bytes, the widths as the standard's tables give them.
#pragma once

#include <cstddef>

#include "dtype/element.hpp"

namespace bowline::dtype {

/// Bytes of one element in external32.
std::size_t external32_size(Element element) noexcept;

/// Converts `n` elements. `native` is an array in memory: native_size(element) from one to the next, the padding of
/// pairs included; no alignment is needed. `external` holds n * external32_size(element) bytes. The two do not overlap.
/// A logical value arrives as 0 or 1. Throws Error (conversion) for a value that external32 has no room for: a long
/// beyond 32 bits, a wide character beyond 16.
void to_external32(Element element, const std::byte* native, std::byte* external, std::size_t n);

/// The way back. Padding of the native elements stays as it was. A long double gets the nearest value to the 113
/// significant bits outside, ties to even.
void from_external32(Element element, const std::byte* external, std::byte* native, std::size_t n);

}  // namespace bowline::dtype
