// SPDX-License-Identifier: BSD-3-Clause
// Packing in the portable representation external32.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// Bytes of `count` elements in external32; nothing if the number does not fit 63 bits.
std::optional<std::size_t> external_size(const Datatype& type, std::size_t count);

/// Converts `count` elements at `source` to external_size(type, count) bytes at `target`.
void pack_external(const Datatype& type, std::size_t count, const void* source, std::byte* target);

/// The opposite conversion.
void unpack_external(const Datatype& type, std::size_t count, const std::byte* source, void* target);

}  // namespace bowline::dtype
