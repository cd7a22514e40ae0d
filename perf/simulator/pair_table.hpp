// SPDX-License-Identifier: BSD-3-Clause
// PairTable: the transfers between two members that wait for their other side, in the order in which they were begun.
// Only one side can wait between two members: there are either more sends or more receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bowline::sim {

/// Queues of `Node`s, which have members `next` and `last` for the table's use, by a key that is not all ones. Open
/// addressing; memory in proportion to the largest number of queues at once.
template <class Node>
class PairTable {
 public:
  PairTable() : slots_(std::size_t{1} << 10) {}

  /// The first in the queue of this key; nullptr if it is empty.
  Node* front(std::uint64_t key) const noexcept { return slots_[find(key)].first; }

  void push(std::uint64_t key, Node& node) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find(key)];
    node.next = nullptr;
    if (slot.first == nullptr) {
      slot = {key, &node};
      ++used_;
    } else {
      slot.first->last->next = &node;
    }
    slot.first->last = &node;
  }

  /// Takes the first out of a queue that is not empty.
  void pop(std::uint64_t key) noexcept {
    const std::size_t place = find(key);
    Node* const first = slots_[place].first;
    if (first->next == nullptr) return erase(place);
    first->next->last = first->last;
    slots_[place].first = first->next;
  }

  bool empty() const noexcept { return used_ == 0; }
  /// Any of the queues' first; the table must not be empty.
  const Node& any() const noexcept {
    std::size_t place = 0;
    while (slots_[place].first == nullptr) ++place;
    return *slots_[place].first;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Node* first = nullptr;
  };

  std::size_t home(std::uint64_t key) const noexcept {
    key *= 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio: Fibonacci hashing
    return static_cast<std::size_t>(key ^ (key >> 32)) & (slots_.size() - 1);
  }
  /// Where the key is, or would go.
  std::size_t find(std::uint64_t key) const noexcept {
    std::size_t place = home(key);
    while (slots_[place].first != nullptr && slots_[place].key != key) place = (place + 1) & (slots_.size() - 1);
    return place;
  }
  /// Closes the gap, so that every key is still found from its home on.
  void erase(std::size_t gap) noexcept {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t place = (gap + 1) & mask; slots_[place].first != nullptr; place = (place + 1) & mask) {
      const std::size_t from_home = (place - home(slots_[place].key)) & mask;
      if (from_home >= ((place - gap) & mask)) {
        slots_[gap] = slots_[place];
        gap = place;
      }
    }
    slots_[gap] = {};
    --used_;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.first != nullptr) slots_[find(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace bowline::sim
