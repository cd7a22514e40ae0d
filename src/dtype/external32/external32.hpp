// SPDX-License-Identifier: BSD-3-Clause
// external32: the portable representation of the predefined datatypes (MPI-5.0, section 14.5.2). Big endian, without
// padding; floating point in the IEEE formats of 2, 4, 8 and 16 bytes; widths as in the standard's tables.
#pragma once

#include <cstddef>

#include "dtype/element.hpp"

namespace bowline::dtype {

/// Bytes of one element in external32.
std::size_t external32_size(Element element) noexcept;

/// Converts `n` elements. `native` is an array in memory: native_size(element) from one to the next, the padding of
/// pairs included; no alignment is needed. `external` holds n * external32_size(element) bytes. `native` and `external`
/// do not overlap. A logical value arrives as 0 or 1. Throws Error (conversion) for a value that does not fit
/// external32: a long beyond 32 bits, a wide character beyond 16.
void to_external32(Element element, const std::byte* native, std::byte* external, std::size_t n);

/// Converts from external32. Padding of the native elements stays unchanged. A long double gets the value nearest to
/// the external 113 significant bits, ties to even.
void from_external32(Element element, const std::byte* external, std::byte* native, std::size_t n);

}  // namespace bowline::dtype
