// SPDX-License-Identifier: BSD-3-Clause
// Accumulates to single elements by atomic instructions of the processor: integers of four and eight bytes.
//
// All accumulates to one location use the same datatype (MPI-5.0, section 12.7.1), so the datatype alone decides
// whether the accumulates to a location are instructions or take the target's lock.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dtype/element.hpp"
#include "dtype/op.hpp"

namespace bowline::rma {

/// Whether the processor accumulates elements of this kind at this address by atomic instructions.
bool has_atomics(dtype::Element element, const void* address) noexcept;

/// target[i] = in[i] (op) target[i] for `count` such elements, each atomically. `old`: gets the former values; may be
/// nullptr. `in` and `old` need not be aligned; `in` is not used by MPI_NO_OP.
void accumulate_atomically(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, std::byte* target,
                           std::byte* old, std::size_t count);

/// Compares the element at `target` with `compare` and replaces it by `swap` if they are equal; stores the former value
/// in `old`.
void swap_atomically(dtype::Element element, const std::byte* compare, const std::byte* swap, std::byte* target,
                     std::byte* old) noexcept;

}  // namespace bowline::rma
