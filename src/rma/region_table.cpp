// SPDX-License-Identifier: BSD-3-Clause
#include "rma/region_table.hpp"

#include "base/atomic.hpp"

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

}  // namespace bowline::rma
