// SPDX-License-Identifier: BSD-3-Clause
// EventQueue: the events of a simulation, in the order of time. Events at the same time keep the order in which they
// were pushed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bowline::sim {

/// A radix heap (R. K. Ahuja, K. Mehlhorn, J. B. Orlin, R. E. Tarjan, "Faster algorithms for the shortest path
/// problem", J. ACM 37(2), 1990): nothing may be put in that is earlier than what was taken out last. An event is moved
/// at most once per bit of its time, in runs; a million at the same time cost no comparison.
template <class Event>
class EventQueue {
 public:
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }

  /// `time` must not be earlier than the latest that was taken out.
  void push(std::uint64_t time, Event event) {
    buckets_[bucket(time)].push_back({time, event});
    ++size_;
  }

  /// The earliest event. The queue must not be empty.
  std::pair<std::uint64_t, Event> pop() {
    if (next_ == buckets_[0].size()) refill();
    --size_;
    return buckets_[0][next_++];
  }

 private:
  using Entry = std::pair<std::uint64_t, Event>;

  /// By the highest bit in which the time differs from that of the last event taken out.
  std::size_t bucket(std::uint64_t time) const noexcept {
    return static_cast<std::size_t>(std::bit_width(time ^ now_));
  }

  /// Moves on to the earliest time that there is; its events go to bucket 0, the others closer to it.
  void refill() {
    buckets_[0].clear();
    next_ = 0;
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    std::vector<Entry> entries = std::exchange(buckets_[first], {});
    std::uint64_t earliest = entries.front().first;
    for (const Entry& entry : entries) earliest = entry.first < earliest ? entry.first : earliest;
    now_ = earliest;
    for (Entry& entry : entries) buckets_[bucket(entry.first)].push_back(entry);
    if (buckets_[first].empty() && entries.size() < keep) {
      entries.clear();
      buckets_[first] = std::move(entries);
    }
  }

  static constexpr std::size_t keep = std::size_t{1} << 16;  ///< up to which length a bucket's memory is used again

  std::uint64_t now_ = 0;
  std::size_t size_ = 0;
  std::size_t next_ = 0;  ///< in bucket 0
  std::array<std::vector<Entry>, 65> buckets_;
};

}  // namespace bowline::sim
