// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace bowline::rma {
namespace {

__extension__ using Wide = __int128;

std::int64_t saturated(Wide value) noexcept {
  constexpr Wide least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, most));
}

}  // namespace

Span span_of(const TargetData& place) noexcept {
  if (place.bytes() == 0) return {0, 0};
  const dtype::Bounds& bounds = place.type->bounds();
  const Wide last = Wide{place.type->extent()} * static_cast<Wide>(place.count - 1);
  return {saturated(bounds.true_lb + std::min<Wide>(last, 0)), saturated(bounds.true_ub + std::max<Wide>(last, 0))};
}

std::int64_t offset_of(std::int64_t displacement, std::int64_t unit) noexcept {
  return saturated(Wide{displacement} * unit);
}

bool lies_within(const TargetData& place, std::int64_t unit, std::uint64_t size, std::int64_t& offset) noexcept {
  offset = offset_of(place.displacement, unit);
  if (place.bytes() == 0) return true;
  const Span span = span_of(place);
  const Wide begin = Wide{offset} + span.begin, end = Wide{offset} + span.end;
  return begin >= 0 && end <= static_cast<Wide>(size);
}

bool lies_within_region(const TargetData& place, std::uint64_t address, std::uint64_t size) noexcept {
  if (place.bytes() == 0) return true;
  const Span span = span_of(place);
  const Wide base = static_cast<std::uint64_t>(place.displacement);
  return base + span.begin >= static_cast<Wide>(address) &&
         base + span.end <= static_cast<Wide>(address) + static_cast<Wide>(size);
}

void refuse_range(const TargetData& place, std::int64_t unit, std::uint64_t size, int rank, const std::string& window) {
  const Span span = span_of(place);
  const std::int64_t offset = offset_of(place.displacement, unit);
  throw Error(ErrorClass::rma_range,
              fmt::format("the access to rank {} of {} covers the bytes {} to {} of its memory (target_disp {} with a "
                          "displacement unit of {}, target_count {} of the datatype {}), but that memory has {} bytes",
                          rank, window, saturated(Wide{offset} + span.begin), saturated(Wide{offset} + span.end),
                          place.displacement, unit, place.count, place.type->description(), size));
}

void refuse_unattached(const TargetData& place, int rank, const std::string& window) {
  const Span span = span_of(place);
  const auto base = static_cast<std::uint64_t>(place.displacement);
  throw Error(ErrorClass::rma_range,
              fmt::format("the access to rank {} of {} covers its addresses {:#x} to {:#x}, but it has not "
                          "attached all of these bytes (MPI_Win_attach)",
                          rank, window, base + static_cast<std::uint64_t>(span.begin),
                          base + static_cast<std::uint64_t>(span.end)));
}

}  // namespace bowline::rma
