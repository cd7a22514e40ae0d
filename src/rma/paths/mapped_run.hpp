// SPDX-License-Identifier: BSD-3-Clause
// Where the data of an operation lie in a target's memory that is mapped in this process.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rma/target.hpp"
#include "rma/target_data.hpp"

namespace bowline::rma {

/// The first byte of the place's data, if they are one run of bytes in memory that is mapped here; nullptr otherwise.
inline std::byte* mapped_run(const Target& target, const TargetData& place) noexcept {
  std::int64_t offset = 0;
  const auto bytes = static_cast<std::int64_t>(place.bytes());
  if (target.base == nullptr || !place.type->contiguous() ||
      __builtin_mul_overflow(place.displacement, target.unit, &offset) ||
      __builtin_add_overflow(offset, place.type->origin(), &offset))
    return nullptr;
  const auto size = static_cast<std::int64_t>(target.size);
  return offset >= 0 && bytes <= size && offset <= size - bytes ? target.base + offset : nullptr;
}

}  // namespace bowline::rma
