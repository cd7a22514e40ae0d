// SPDX-License-Identifier: BSD-3-Clause
#include "rma/region_table.hpp"

#include <algorithm>

#include "base/atomic.hpp"
#include "base/cpu_relax.hpp"

namespace bowline::rma {

void RegionTable::show(const Regions::Ranges& regions) noexcept {
  shown_->version.fetch_add(1, std::memory_order_relaxed);
  thread_fence(std::memory_order_release);  // no write below comes before the odd version
  std::size_t count = 0;
  for (const auto& [address, size] : regions) {
    if (count == most) break;
    shown_->entries[count].address.store(address, std::memory_order_relaxed);
    shown_->entries[count].size.store(size, std::memory_order_relaxed);
    ++count;
  }
  shown_->count.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
  shown_->incomplete.store(regions.size() > most ? 1 : 0, std::memory_order_relaxed);
  shown_->version.fetch_add(1, std::memory_order_release);
}

RegionTable::Found RegionTable::find(const TargetData& place) const noexcept {
  for (;;) {
    const std::uint64_t version = shown_->version.load(std::memory_order_acquire);
    bool found = false;
    const std::size_t count = std::min<std::size_t>(shown_->count.load(std::memory_order_relaxed), most);
    for (std::size_t i = 0; i < count && !found; ++i) {
      const auto& entry = shown_->entries[i];
      found = lies_within_region(place, entry.address.load(std::memory_order_relaxed),
                                 entry.size.load(std::memory_order_relaxed));
    }
    const bool incomplete = shown_->incomplete.load(std::memory_order_relaxed) != 0;
    thread_fence(std::memory_order_acquire);  // the reads above stay before the read of the next line
    if (version % 2 == 0 && shown_->version.load(std::memory_order_relaxed) == version)
      return found ? Found::yes : incomplete ? Found::unknown : Found::no;
    cpu_relax();
  }
}

}  // namespace bowline::rma
