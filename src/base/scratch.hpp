// SPDX-License-Identifier: BSD-3-Clause
// Memory for the duration of one operation, recycled so that a repeated operation does not allocate.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace bowline {

/// Recycles memory of up to 256 KiB by powers of two. One list per thread, so it needs no lock. If another thread gives
/// memory back, the memory joins that thread's list. Aligned to cache lines.
class ScratchPool {
 public:
  static void* take(std::size_t bytes);
  /// `bytes`: the number that was passed to take().
  static void give(void* memory, std::size_t bytes) noexcept;
};

/// Objects without constructors in such memory, not initialized.
template <class T>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T> && alignof(T) <= 64);

 public:
  ScratchArray() = default;
  explicit ScratchArray(std::size_t count)
      : objects_(count == 0 ? nullptr : static_cast<T*>(ScratchPool::take(count * sizeof(T)))), count_(count) {}
  ScratchArray(ScratchArray&& other) noexcept
      : objects_(std::exchange(other.objects_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  ScratchArray& operator=(ScratchArray&& other) noexcept {
    std::swap(objects_, other.objects_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~ScratchArray() {
    if (objects_ != nullptr) ScratchPool::give(objects_, count_ * sizeof(T));
  }

  T* data() const noexcept { return objects_; }
  std::size_t size() const noexcept { return count_; }
  T& operator[](std::size_t i) const noexcept { return objects_[i]; }
  T* begin() const noexcept { return objects_; }
  T* end() const noexcept { return objects_ + count_; }

 private:
  T* objects_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace bowline
