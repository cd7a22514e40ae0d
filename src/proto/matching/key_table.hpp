// SPDX-License-Identifier: BSD-3-Clause
// KeyTable: finds elements by a key. Elements with the same key are in first-in, first-out order. Every operation takes
// constant time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/list.hpp"
#include "base/pool.hpp"

namespace bowline::proto {

/// A source and a tag as one word. A wildcard is a value like any other.
constexpr std::uint64_t match_key(int source, int tag) noexcept {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32) | static_cast<std::uint32_t>(tag);
}

/// T derives from Link<Tag>. The table does not own its elements. Its memory grows with the largest number of different
/// keys at one time.
template <class T, class Tag>
class KeyTable {
 public:
  KeyTable() : buckets_(first_size) {}
  KeyTable(const KeyTable&) = delete;
  KeyTable& operator=(const KeyTable&) = delete;
  ~KeyTable() {
    for (Slot* slot : buckets_) {
      while (slot != nullptr) {
        Slot* const gone = slot;
        slot = slot->next;
        pool_.destroy(gone);
      }
    }
  }

  /// Removes all elements.
  void clear() noexcept {
    for (Slot*& bucket : buckets_) {
      while (bucket != nullptr) {
        while (!bucket->elements.empty()) bucket->elements.pop_front();
        pool_.destroy(std::exchange(bucket, bucket->next));
      }
    }
    used_ = 0;
  }

  /// The oldest element with this key; nullptr if there is none.
  T* oldest(std::uint64_t key) noexcept {
    Slot* const slot = *find(key);
    return slot == nullptr ? nullptr : &slot->elements.front();
  }

  /// Throws std::bad_alloc; then the element was not added.
  void add(std::uint64_t key, T& element) {
    Slot** place = find(key);
    if (*place == nullptr) {
      if (used_ == buckets_.size()) {
        grow();
        place = find(key);
      }
      *place = pool_.make(key);
      ++used_;
    }
    (*place)->elements.push_back(element);
  }

  /// Removes an element that was added with this key.
  void remove(std::uint64_t key, T& element) noexcept {
    List<T, Tag>::remove(element);
    Slot** const place = find(key);
    if (!(*place)->elements.empty()) return;
    Slot* const gone = *place;
    *place = gone->next;
    pool_.destroy(gone);
    --used_;
  }

 private:
  /// All elements of one key. A slot without elements does not exist.
  struct Slot {
    explicit Slot(std::uint64_t key_) noexcept : key(key_) {}
    std::uint64_t key;
    Slot* next = nullptr;
    List<T, Tag> elements;
  };
  static constexpr std::size_t first_size = 64;

  /// The link that points to the slot of this key, or the null link at which to insert that slot.
  Slot** find(std::uint64_t key) noexcept {
    // Multiplying spreads neighbouring keys over the upper bits (Knuth, The Art of Computer Programming, section 6.4).
    const std::uint64_t spread = key * 0x9e3779b97f4a7c15;
    Slot** place = &buckets_[(spread >> 32) & (buckets_.size() - 1)];
    while (*place != nullptr && (*place)->key != key) place = &(*place)->next;
    return place;
  }

  void grow() {
    std::vector<Slot*> old(2 * buckets_.size());
    old.swap(buckets_);
    for (Slot* slot : old) {
      while (slot != nullptr) {
        Slot* const moved = slot;
        slot = slot->next;
        moved->next = nullptr;
        *find(moved->key) = moved;
      }
    }
  }

  std::vector<Slot*> buckets_;  ///< their number is a power of two
  std::size_t used_ = 0;        ///< slots
  Pool<Slot> pool_;
};

}  // namespace bowline::proto
