// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/access_plan.hpp"

#include <algorithm>
#include <bit>

namespace bowline::mpiio {
namespace {

constexpr auto page_bytes = static_cast<std::size_t>(Plan::page);
// In a local file system a window should stay in the caches between the copies in memory and that to the page cache.
constexpr std::size_t longest_local_window = 1 << 20;
// Shorter windows cost more for their synchronization than several processes gain by sharing the work.
constexpr std::size_t shortest_useful_window = 128 << 10;
// More processes of a node than this gain little: they share the memory and, in one file, a lock of the kernel.
constexpr int most_of_unit = 4;

std::size_t rounded_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

/// The part of an aggregator's memory that one window takes. The memory consists of two windows with their coverage
/// and, if there are several units, one window of another unit and a message each way.
std::size_t window_in(std::size_t buffer, bool several_units) noexcept {
  const std::size_t share = several_units ? buffer / 6 : buffer * 4 / 9;
  return std::max(page_bytes, std::bit_floor(share));
}

}  // namespace

Plan::Plan(const Units& units, const Hints& hints, const FileSystem& system, const Summary& all)
    : units_(&units),
      granule_(std::min<std::size_t>(page_bytes, std::size_t{1} << std::countr_zero(static_cast<std::uint64_t>(
                                                     std::max<std::int64_t>(1, all.granule))))),
      whole_{all.begin, all.end} {
  const int count = units.count();
  const std::size_t alignment = rounded_up(std::max({page_bytes, system.block, hints.striping_unit}), page_bytes);
  window_ = window_in(hints.cb_buffer_size, count > 1);
  if (!system.remote) window_ = std::min(window_, longest_local_window);

  const int most = std::min(units.smallest(), most_of_unit);
  each_ = hints.cb_nodes == 0 ? most : std::clamp(hints.cb_nodes / count, 1, units.smallest());
  active_ = hints.cb_nodes == 0 ? count : std::min(count, hints.cb_nodes);
  whole_.begin -= whole_.begin % page;
  const auto length = static_cast<std::size_t>(whole_.length());
  const auto useful = static_cast<int>(std::min<std::size_t>(
      static_cast<std::size_t>(each_) * static_cast<std::size_t>(active_), length / shortest_useful_window + 1));
  if (count == 1) each_ = std::min(each_, useful);
  active_ = std::max(1, std::min(active_, useful / each_ + (useful % each_ != 0 ? 1 : 0)));
  const std::size_t share =
      (length + static_cast<std::size_t>(aggregators()) - 1) / static_cast<std::size_t>(aggregators());
  domain_ = static_cast<Offset>(rounded_up(share, share < alignment ? page_bytes : alignment));
  if (domain_ <= static_cast<Offset>(window_)) window_ = static_cast<std::size_t>(domain_);
}

/// Active units are spread over all.
int Plan::place(int unit) const noexcept {
  const int count = units_->count();
  const auto wide = [](int value) { return static_cast<std::int64_t>(value); };
  const auto nearest = static_cast<int>((wide(unit) * active_ + count - 1) / count);
  return nearest < active_ && wide(nearest) * count / active_ == unit ? nearest : -1;
}

int Plan::member(int unit, int i) const noexcept {
  const coll::Members members = units_->members(unit);
  return members[static_cast<int>(static_cast<std::int64_t>(i) * members.count / each_)];
}

int Plan::role(int member) const noexcept {
  const int unit = units_->unit(member);
  for (int i = 0; i < each_; ++i) {
    if (this->member(unit, i) == member) return i;
  }
  return -1;
}

Extent Plan::domain(int aggregator) const noexcept {
  const Offset begin = whole_.begin + aggregator * domain_;
  return {std::min(begin, whole_.end), std::min(begin + domain_, whole_.end)};
}

}  // namespace bowline::mpiio
