// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/cursor.hpp"

#include <algorithm>
#include <cstdint>

#include "dtype/pieces.hpp"
#include "dtype/transfer.hpp"

namespace bowline::dtype {

namespace {

/// `offset` bytes from an address that may be MPI_BOTTOM, a null pointer, on which C++ allows no pointer arithmetic.
std::byte* place_of(const void* address, std::ptrdiff_t offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(offset));
}

}  // namespace

Cursor::Cursor(const Datatype& type, std::size_t count, const void* base) noexcept
    : layout_(&type.layout()),
      base_(place_of(base, layout_->root().offset)),
      extent_(type.extent()),
      count_(count),
      bytes_(count == unbounded ? unbounded : count * type.size()) {}

std::size_t Cursor::pack(std::span<std::byte> stream) {
  const std::size_t bytes = std::min(stream.size(), left());
  if (bytes == 0) return 0;
  Transfer<Direction::pack> transfer(*layout_);
  if (bytes == bytes_) {
    transfer.array(layout_->top(), count_, extent_, base_, stream.data());
  } else {
    transfer.array(layout_->top(), extent_, base_, position_, position_ + bytes, stream.data());
  }
  position_ += bytes;
  return bytes;
}

std::size_t Cursor::unpack(std::span<const std::byte> stream) {
  const std::size_t bytes = std::min(stream.size(), left());
  if (bytes == 0) return 0;
  Transfer<Direction::unpack> transfer(*layout_);
  if (bytes == bytes_) {
    transfer.array(layout_->top(), count_, extent_, base_, stream.data());
  } else {
    transfer.array(layout_->top(), extent_, base_, position_, position_ + bytes, stream.data());
  }
  position_ += bytes;
  return bytes;
}

std::size_t Cursor::next_iovec(std::span<iovec> pieces) {
  if (left() == 0 || pieces.empty()) return 0;
  Pieces found(*layout_, pieces);
  found.array(layout_->top(), extent_, base_, position_, bytes_);
  position_ += found.bytes();
  return found.count();
}

}  // namespace bowline::dtype
