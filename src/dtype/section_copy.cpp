// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/section_copy.hpp"

#include <algorithm>
#include <cstring>

#include "dtype/copy.hpp"

namespace bowline::dtype {
namespace {

/// Calls `part(address, bytes)` for parts of blocks and `rows(address, stride, count)` for whole blocks of a row, for
/// `length` bytes of the section.
template <class Part, class Rows>
void walk(const Section& section, std::ptrdiff_t offset, std::size_t length, Part part, Rows rows) {
  const auto block = static_cast<std::size_t>(section.block);
  SectionBlocks blocks(section, offset);
  while (length > 0) {
    const std::size_t whole = std::min(blocks.row(), length / block);
    if (whole > 0) {
      rows(blocks.address(), blocks.stride(), whole);
      blocks.advance_row(whole);
      length -= whole * block;
    } else {
      const std::size_t some = std::min(blocks.left(), length);
      part(blocks.address(), some);
      blocks.advance(some);
      length -= some;
    }
  }
}

}  // namespace

void gather(const Section& section, std::ptrdiff_t offset, std::byte* stream, std::size_t length) {
  const auto part = [&](const std::byte* place, std::size_t bytes) {
    std::memcpy(stream, place, bytes);
    stream += bytes;
  };
  const auto rows = [&](const std::byte* place, std::ptrdiff_t stride, std::size_t count) {
    copy_rows({stream, section.block}, {place, stride}, count, static_cast<std::size_t>(section.block));
    stream += static_cast<std::ptrdiff_t>(count) * section.block;
  };
  walk(section, offset, length, part, rows);
}

void scatter(const Section& section, std::ptrdiff_t offset, const std::byte* stream, std::size_t length) {
  const auto part = [&](std::byte* place, std::size_t bytes) {
    std::memcpy(place, stream, bytes);
    stream += bytes;
  };
  const auto rows = [&](std::byte* place, std::ptrdiff_t stride, std::size_t count) {
    copy_rows({place, stride}, {stream, section.block}, count, static_cast<std::size_t>(section.block));
    stream += static_cast<std::ptrdiff_t>(count) * section.block;
  };
  walk(section, offset, length, part, rows);
}

bool PlaceList::put(std::byte* place, std::size_t length) noexcept {
  if (count_ > 0) {
    iovec& last = target_[count_ - 1];
    if (static_cast<std::byte*>(last.iov_base) + last.iov_len == place) {
      last.iov_len += length;
      bytes_ += length;
      return true;
    }
  }
  full_ = count_ == target_.size();
  if (full_) return false;
  target_[count_++] = {place, length};
  bytes_ += length;
  return true;
}

void PlaceList::add(const Section& section, std::ptrdiff_t offset, std::size_t length) noexcept {
  SectionBlocks blocks(section, offset);
  while (length > 0 && has_room()) {
    const std::size_t some = std::min(blocks.left(), length);
    if (!put(blocks.address(), some)) return;
    blocks.advance(some);
    length -= some;
  }
}

}  // namespace bowline::dtype
