// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/slot_memory.hpp"

#include <algorithm>
#include <vector>

#include "base/atomic.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t member_bytes = 2 * line_bytes;  // bytes of the counters of one member

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

/// The offsets of the parts.
struct Layout {
  explicit Layout(int members) noexcept {
    const auto count = static_cast<std::size_t>(members);
    asleep = line_bytes;
    completed = asleep + round_up(count * sizeof(std::uint32_t), line_bytes);
    lines = completed + count * member_bytes;
    slots = round_up(lines + SlotMemory::line_sets_for(members) * count * sizeof(FlagLine), SlotMemory::page_bytes);
  }
  std::size_t asleep;
  std::size_t completed;
  std::size_t lines;
  std::size_t slots;
};

}  // namespace

std::size_t SlotMemory::bytes_for(int members, std::size_t slot_bytes) noexcept {
  return round_up(Layout(members).slots + slot_sets * static_cast<std::size_t>(members) * slot_bytes, page_bytes);
}

std::size_t SlotMemory::bytes_before_slots(int members) noexcept {
  return Layout(members).slots;
}

bool SlotMemory::is_free(std::span<std::byte> memory) noexcept {
  const auto& header = *reinterpret_cast<const Header*>(memory.data());
  const auto* const lines =
      reinterpret_cast<const CompletedLines*>(memory.data() + Layout(static_cast<int>(header.members)).completed);
  const std::uint64_t count = lines[0].count.load(std::memory_order_acquire);
  for (std::uint32_t member = 1; member < header.members; ++member) {
    if (lines[member].count.load(std::memory_order_acquire) != count) return false;
  }
  return header.sleepers.load(std::memory_order_acquire) == 0;
}

SlotMemory::SlotMemory(std::span<std::byte> memory, int rank, int members, std::size_t slot_bytes, SlotHost& host)
    : host_(&host),
      rank_(rank),
      members_(members),
      line_sets_(line_sets_for(members)),
      slot_bytes_(slot_bytes),
      groups_(std::vector<int>(static_cast<std::size_t>(members), -1), rank),
      known_(std::make_unique<std::uint64_t[]>(static_cast<std::size_t>(members))) {
  static_assert(sizeof(CompletedLines) == member_bytes);
  const Layout layout(members);
  auto& header = *reinterpret_cast<Header*>(memory.data());
  sleepers_ = &header.sleepers;
  if (rank == 0) header.members = static_cast<std::uint32_t>(members);
  asleep_ = reinterpret_cast<Atomic<std::uint32_t>*>(memory.data() + layout.asleep);
  completed_ = reinterpret_cast<CompletedLines*>(memory.data() + layout.completed);
  lines_ = reinterpret_cast<FlagLine*>(memory.data() + layout.lines);
  slots_ = memory.data() + layout.slots;
}

void SlotMemory::tell_process() {
  completed_[rank_].process = node::own_mark();
}

void SlotMemory::wake_each() noexcept {
  for (int member = 0; member < members_; ++member) {
    if (member != rank_ && proto::SleepNotice::is_up(asleep_[member])) host_->wake(member);
  }
}

bool SlotMemory::look_for_vacancy(std::uint64_t number, std::uint64_t before) noexcept {
  std::uint64_t least = ended_;
  for (int member = 0; member < members_; ++member) {
    if (member == rank_) continue;
    std::uint64_t& known = known_[static_cast<std::size_t>(member)];
    known = whole_count(known);
    if (known + before <= number) known = completed_[member].count.load(std::memory_order_acquire);
    least = std::min(least, known);
  }
  all_ended_ = std::max(all_ended_, least);
  return number < all_ended_ + before;
}

bool SlotMemory::completed_without(int member, const Atomic<std::uint64_t>& word, std::uint64_t value) const noexcept {
  const auto line = reinterpret_cast<std::uintptr_t>(&word) / line_bytes * line_bytes;
  const auto first = reinterpret_cast<std::uintptr_t>(lines_);
  const auto end = reinterpret_cast<std::uintptr_t>(lines_ + line_sets_ * static_cast<std::uint64_t>(members_));
  if (line < first || line >= end || &word != &reinterpret_cast<const FlagLine*>(line)->flag) return false;
  const std::uint64_t next = value >> step_bits;  // one more than the number of the operation
  const std::uint64_t count = completed(member).load(std::memory_order_acquire);
  const bool has_completed = static_cast<std::int64_t>((count - next) << step_bits) >= 0;
  return has_completed && !proto::Watch::reached(word, value);
}

void SlotMemory::back(std::uint64_t number, Writes writes) {
  if (writes == Writes::own_slot) {
    host_->back({slot(number, rank_), slot_bytes_});
  } else if (writes == Writes::all_slots) {
    host_->back({slot(number, 0), static_cast<std::size_t>(members_) * slot_bytes_});
  }
  backed_[number % slot_sets] = writes;
}

int SlotMemory::last_in(std::uint64_t number, std::uint64_t before) const noexcept {
  for (int member = 0; member < members_; ++member) {
    if (completed(member).load(std::memory_order_relaxed) + before <= number) return member;
  }
  return rank_;
}

}  // namespace bowline::coll
