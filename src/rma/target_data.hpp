// SPDX-License-Identifier: BSD-3-Clause
// TargetData: the target's side of a one-sided operation, and the check that it lies in the target's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dtype/datatype.hpp"

namespace bowline::rma {

/// `count` elements of a datatype at a displacement, which counts units of the target's window. In a dynamic window it
/// is an address.
struct TargetData {
  std::int64_t displacement;
  std::size_t count;
  const dtype::Datatype* type;

  std::size_t bytes() const noexcept { return count * type->size(); }
};

/// The bytes from the address of a place's displacement that its data touch: [begin, end). Saturated at 64 bits.
struct Span {
  std::int64_t begin;
  std::int64_t end;
};
Span span_of(const TargetData& place) noexcept;

/// The byte offset of a displacement, saturated at 64 bits.
std::int64_t offset_of(std::int64_t displacement, std::int64_t unit) noexcept;

/// Whether the place lies in memory of `size` bytes whose unit is `unit`. A place without data lies anywhere. `offset`:
/// set to the offset of the displacement, in bytes.
bool lies_within(const TargetData& place, std::int64_t unit, std::uint64_t size, std::int64_t& offset) noexcept;

/// Whether the place, whose displacement is an address, lies in the region.
bool lies_within_region(const TargetData& place, std::uint64_t address, std::uint64_t size) noexcept;

/// Throws Error (MPI_ERR_RMA_RANGE): the place is outside. `rank`: of the target in the window named `window`.
[[noreturn, gnu::cold]] void refuse_range(const TargetData& place, std::int64_t unit, std::uint64_t size, int rank,
                                          const std::string& window);
/// Throws for a dynamic window whose target has no attached region that holds the place.
[[noreturn, gnu::cold]] void refuse_unattached(const TargetData& place, int rank, const std::string& window);

}  // namespace bowline::rma
