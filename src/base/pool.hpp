// SPDX-License-Identifier: BSD-3-Clause
// Free lists for objects that are made and dropped on hot paths.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace bowline {

/// Objects of one type from recycled memory. Memory grows with the largest number alive at once and is returned when
/// the pool is destroyed; every object must have been destroyed before. Not thread-safe.
template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    while (free_ != nullptr) ::operator delete (take(), std::align_val_t{alignof(Cell)});
  }

  template <class... Args>
  T* make(Args&&... args) {
    void* memory = free_ != nullptr ? take() : ::operator new (sizeof(Cell), std::align_val_t{alignof(Cell)});
    return new (memory) T(std::forward<Args>(args)...);
  }

  void destroy(T* object) noexcept {
    object->~T();
    free_ = new (static_cast<void*>(object)) Cell{free_};
  }

 private:
  union Cell {
    Cell* next;
    alignas(T) std::byte storage[sizeof(T)];
  };

  void* take() noexcept {
    Cell* cell = free_;
    free_ = cell->next;
    return cell;
  }

  Cell* free_ = nullptr;
};

}  // namespace bowline
