// SPDX-License-Identifier: BSD-3-Clause
#include "rma/regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/error.hpp"

namespace bowline::rma {

void Regions::attach(std::uint64_t address, std::uint64_t size, const std::string& window) {
  if (size > std::numeric_limits<std::uint64_t>::max() - address) {
    throw Error(
        ErrorClass::rma_attach,
        fmt::format("the {} bytes at {:#x} do not fit the address space: give the size of the memory", size, address));
  }
  const auto after = attached_.upper_bound(address);
  const auto before = after == attached_.begin() ? attached_.end() : std::prev(after);
  const bool meets_after = after != attached_.end() && after->first < address + size;
  const bool meets_before =
      before != attached_.end() && (before->first == address || before->first + before->second > address);
  if (meets_after || meets_before) {
    const auto& other = meets_after ? *after : *before;
    throw Error(ErrorClass::rma_attach,
                fmt::format("the {} bytes at {:#x} overlap the {} bytes at {:#x}, which are attached to {} already: "
                            "detach them first",
                            size, address, other.second, other.first, window));
  }
  attached_.emplace(address, size);
  if (size == 0) return;
  auto range = joined_.emplace(address, size).first;
  const auto next = std::next(range);
  if (next != joined_.end() && next->first == address + size) {
    range->second += next->second;
    joined_.erase(next);
  }
  if (range == joined_.begin()) return;
  const auto former = std::prev(range);
  if (former->first + former->second != address) return;
  former->second += range->second;
  joined_.erase(range);
}

bool Regions::detach(std::uint64_t address) noexcept {
  const auto region = attached_.find(address);
  if (region == attached_.end()) return false;
  const std::uint64_t end = address + region->second;
  attached_.erase(region);
  if (end == address) return true;
  const auto range = std::prev(joined_.upper_bound(address));
  const std::uint64_t range_end = range->first + range->second;
  if (range_end > end) joined_.emplace(end, range_end - end);
  range->second = address - range->first;
  if (range->second == 0) joined_.erase(range);
  return true;
}

bool Regions::hold(const TargetData& place) const noexcept {
  if (place.bytes() == 0) return true;
  const auto first = static_cast<std::uint64_t>(place.displacement) + static_cast<std::uint64_t>(span_of(place).begin);
  const auto after = joined_.upper_bound(first);
  if (after == joined_.begin()) return false;
  const auto& [address, size] = *std::prev(after);
  return lies_within_region(place, address, size);
}

}  // namespace bowline::rma
