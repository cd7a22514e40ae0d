// SPDX-License-Identifier: BSD-3-Clause
// ShortArray: an array of a fixed length for the duration of a call, which needs no memory from elsewhere if it is
// short.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

namespace bowline {

/// Memory of longer arrays: from the heap.
struct HeapMemory {
  static void* take(std::size_t bytes) { return ::operator new(bytes); }
  /// `bytes`: the number that was passed to take().
  static void give(void* memory, std::size_t /*bytes*/) noexcept { ::operator delete(memory); }
};

/// An array of up to `few` elements lies in the object, a longer one in memory that `Memory` gives (HeapMemory, or
/// ScratchPool if the same call is repeated often). The elements are not initialized.
template <class Element, std::size_t few, class Memory = HeapMemory>
class ShortArray {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_default_constructible_v<Element>);
  static_assert(alignof(Element) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

 public:
  ShortArray() noexcept : size_(0) {}
  /// Throws std::bad_alloc.
  explicit ShortArray(std::size_t size) : ShortArray() { make(size); }
  ShortArray(const ShortArray&) = delete;
  ShortArray& operator=(const ShortArray&) = delete;
  ~ShortArray() {
    if (size_ > few) [[unlikely]]
      Memory::give(far_, size_ * sizeof(Element));
  }

  /// Makes room for `size` elements and returns the first. To be called once, for an array that was made without a
  /// size. Throws std::bad_alloc.
  Element* make(std::size_t size) {
    if (size > few) [[unlikely]]
      far_ = take(size);
    size_ = size;
    return data();
  }

  std::size_t size() const noexcept { return size_; }
  Element* data() noexcept { return size_ > few ? far_ : near_.data(); }
  const Element* data() const noexcept { return size_ > few ? far_ : near_.data(); }
  Element& operator[](std::size_t i) noexcept { return data()[i]; }
  const Element& operator[](std::size_t i) const noexcept { return data()[i]; }

 private:
  static Element* take(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(Element)) throw std::bad_array_new_length();
    return static_cast<Element*>(Memory::take(size * sizeof(Element)));
  }

  std::size_t size_;
  Element* far_ = nullptr;
  // Not initialized: that would cost each call time.
  [[no_unique_address]] std::array<Element, few> near_;  // NOLINT(cppcoreguidelines-pro-type-member-init)
};

}  // namespace bowline
