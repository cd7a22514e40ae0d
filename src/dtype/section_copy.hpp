// SPDX-License-Identifier: BSD-3-Clause
// Copies between the bytes of a section and a buffer, and the places of these bytes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "dtype/section.hpp"

namespace bowline::dtype {

/// From `length` bytes of the section, which begin at byte `offset`, to `stream`.
void gather(const Section& section, std::ptrdiff_t offset, std::byte* stream, std::size_t length);
/// From `stream` to `length` bytes of the section.
void scatter(const Section& section, std::ptrdiff_t offset, const std::byte* stream, std::size_t length);

/// A list of places that is filled piece by piece.
class PlaceList {
 public:
  explicit PlaceList(std::span<iovec> target) noexcept : target_(target) {}

  /// Adds the places of `length` bytes of the section, as long as there is room.
  void add(const Section& section, std::ptrdiff_t offset, std::size_t length) noexcept;
  /// Whether add() has room; without room it adds nothing.
  bool has_room() const noexcept { return !full_; }
  std::size_t count() const noexcept { return count_; }
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  bool put(std::byte* place, std::size_t length) noexcept;

  std::span<iovec> target_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace bowline::dtype
