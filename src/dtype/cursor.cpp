// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/cursor.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "dtype/pieces.hpp"
#include "dtype/section_copy.hpp"
#include "dtype/stream_copy.hpp"

namespace bowline::dtype {

namespace {

/// `offset` bytes from an address that may be MPI_BOTTOM, a null pointer, on which C++ allows no pointer arithmetic.
std::byte* place_of(const void* address, std::ptrdiff_t offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(offset));
}

}  // namespace

Cursor::Cursor(const Datatype& type, std::size_t count, const void* base) noexcept
    : layout_(&type.layout()),
      section_(type.section_of(base)),
      base_(place_of(base, layout_->root().offset)),
      extent_(type.extent()),
      count_(count),
      bytes_(count == unbounded ? unbounded : count * type.size()) {}

template <class Use>
void Cursor::in_section(std::size_t end, Use use) const {
  const auto offset = [](const iovec& run) { return Sections::offset(run.iov_base); };
  if (layout_->is_run() && extent_ == static_cast<std::ptrdiff_t>(layout_->size())) {
    use(*section_, Sections::offset(base_) + static_cast<std::ptrdiff_t>(position_), end - position_);
    return;
  }
  std::array<iovec, 32> some;
  for (std::size_t position = position_; position < end;) {
    Pieces found(*layout_, some);
    found.array(layout_->top(), extent_, base_, position, end);
    for (const iovec& run : std::span(some).first(found.count())) {
      if (!use(*section_, offset(run), run.iov_len)) return;
    }
    position += found.bytes();
  }
}

std::size_t Cursor::pack(std::span<std::byte> stream) {
  const std::size_t bytes = std::min(stream.size(), left());
  if (bytes == 0) return 0;
  if (section_ != nullptr) [[unlikely]] {
    std::byte* to = stream.data();
    in_section(position_ + bytes, [&](const Section& section, std::ptrdiff_t offset, std::size_t length) {
      gather(section, offset, to, length);
      to += length;
      return true;
    });
  } else if (StreamCopy<Direction::pack> transfer(*layout_); bytes == bytes_) {
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
  if (section_ != nullptr) [[unlikely]] {
    const std::byte* from = stream.data();
    in_section(position_ + bytes, [&](const Section& section, std::ptrdiff_t offset, std::size_t length) {
      scatter(section, offset, from, length);
      from += length;
      return true;
    });
  } else if (StreamCopy<Direction::unpack> transfer(*layout_); bytes == bytes_) {
    transfer.array(layout_->top(), count_, extent_, base_, stream.data());
  } else {
    transfer.array(layout_->top(), extent_, base_, position_, position_ + bytes, stream.data());
  }
  position_ += bytes;
  return bytes;
}

std::size_t Cursor::next_iovec(std::span<iovec> pieces) {
  if (left() == 0 || pieces.empty()) return 0;
  if (section_ != nullptr) [[unlikely]] {
    PlaceList places(pieces);
    in_section(bytes_, [&](const Section& section, std::ptrdiff_t offset, std::size_t length) {
      places.add(section, offset, length);
      return places.has_room();
    });
    position_ += places.bytes();
    return places.count();
  }
  Pieces found(*layout_, pieces);
  found.array(layout_->top(), extent_, base_, position_, bytes_);
  position_ += found.bytes();
  return found.count();
}

}  // namespace bowline::dtype
