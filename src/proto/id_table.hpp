// SPDX-License-Identifier: BSD-3-Clause
// IdTable: the ids by which peers name this process's requests. An id consists of a place in the table and the number
// of times that the place has been assigned (its generation). An invented id, or the id of a request that has ended,
// therefore names nothing. Ids from peers are looked up here and never used as addresses.
//
// The table grows with the largest number of requests that had ids at one time. Messages from peers cannot make it
// grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "base/diagnosis/layout_of.hpp"

namespace bowline::proto {

/// The id of no request.
inline constexpr std::uint64_t no_id = 0;

/// Owns no objects. Every operation takes constant time.
template <class T>
class IdTable {
 public:
  /// An id for the object, until remove(); no_id if there is no memory.
  std::uint64_t add(T& object) noexcept {
    if (free_ == none && !grow()) return no_id;
    const std::uint32_t place = free_;
    Slot& slot = slots_[place];
    free_ = slot.next_free;
    slot.object = &object;
    ++used_;
    return (std::uint64_t{slot.generation} << 32) | place;
  }

  /// Invalidates an id that add() has returned.
  void remove(std::uint64_t id) noexcept {
    const auto place = static_cast<std::uint32_t>(id);
    Slot& slot = slots_[place];
    slot.object = nullptr;
    if (++slot.generation == 0) slot.generation = 1;  // an id is never no_id
    slot.next_free = free_;
    free_ = place;
    --used_;
  }

  /// The object with this id; nullptr if the id names nothing.
  T* find(std::uint64_t id) const noexcept {
    const auto place = static_cast<std::uint32_t>(id);
    if (place >= slots_.size()) return nullptr;
    const Slot& slot = slots_[place];
    return slot.generation == id >> 32 ? slot.object : nullptr;
  }

  bool empty() const noexcept { return used_ == 0; }

  /// Whether the id named an object that has been removed.
  bool has_named(std::uint64_t id) const noexcept {
    const auto place = static_cast<std::uint32_t>(id);
    const auto generation = static_cast<std::uint32_t>(id >> 32);
    if (place >= slots_.size() || generation == 0) return false;
    return static_cast<std::int32_t>(slots_[place].generation - generation) > 0;
  }

  /// Calls `action` with every object. It may remove ids, and add some.
  template <class Action>
  void for_each(Action action) const {
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      if (slots_[place].object != nullptr) action(*slots_[place].object);
    }
  }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  struct Slot {
    T* object = nullptr;
    std::uint32_t generation = 1;
    std::uint32_t next_free;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  bool grow() noexcept {
    if (slots_.size() >= none) return false;
    try {
      slots_.push_back({.next_free = none});
    } catch (const std::bad_alloc&) {
      return false;
    }
    free_ = static_cast<std::uint32_t>(slots_.size() - 1);
    return true;
  }

  std::vector<Slot> slots_;
  std::uint32_t free_ = none;
  std::size_t used_ = 0;
};

}  // namespace bowline::proto
