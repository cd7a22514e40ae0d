// SPDX-License-Identifier: BSD-3-Clause
// Free lists for objects that hot paths make and destroy.
#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "base/diagnosis/layout_of.hpp"

namespace bowline {

/// Objects of one type from recycled memory. The memory is proportional to the high-water mark of objects alive at
/// once. The pool's destructor frees it; all objects must have been destroyed before. Not thread-safe.
template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (void* const memory : all_) ::operator delete(memory, alignment);
  }

  /// Inlined in any case, because sends and receives make their requests here.
  template <class... Args>
  [[gnu::always_inline]] T* make(Args&&... args) {
    void* memory = free_ != nullptr ? take() : fresh();
    return new (memory) T(std::forward<Args>(args)...);
  }

  /// Calls `use` for all objects, alive or destroyed: O(high-water mark). `use` must distinguish objects that are alive
  /// by a mark behind the first word.
  template <class Use>
  void each(Use use) const {
    for (void* const memory : all_) use(*static_cast<const T*>(memory));
  }

  /// The first object that `accept` accepts; nullptr if there is none.
  template <class Accept>
  T* find(Accept accept) const {
    for (void* const memory : all_) {
      if (accept(*static_cast<const T*>(memory))) return static_cast<T*>(memory);
    }
    return nullptr;
  }

  void destroy(T* object) noexcept {
    object->~T();
    free_ = new (static_cast<void*>(object)) Free{free_};
  }

 private:
  template <class>
  friend struct LayoutOf;
  /// The contents of the memory of a destroyed object.
  struct Free {
    Free* next;
  };
  static constexpr std::size_t bytes = sizeof(T) > sizeof(Free) ? sizeof(T) : sizeof(Free);
  static constexpr std::align_val_t alignment{alignof(T) > alignof(Free) ? alignof(T) : alignof(Free)};

  void* take() noexcept { return std::exchange(free_, free_->next); }
  void* fresh() {
    if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);  // so push_back() below cannot fail
    void* const memory = ::operator new(bytes, alignment);
    all_.push_back(memory);
    return memory;
  }

  Free* free_ = nullptr;
  std::vector<void*> all_;
};

}  // namespace bowline
