// SPDX-License-Identifier: BSD-3-Clause
// Pieces: lists the places of a range of the stream as runs.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <span>

#include "dtype/layout.hpp"

namespace bowline::dtype {

class Pieces {
 public:
  Pieces(const Layout& layout, std::span<iovec> target) noexcept : layout_(layout), target_(target) {}

  /// Lists the bytes [from, to) of an array of `each`, `step` apart, until the target is full.
  void array(const Node& each, std::ptrdiff_t step, std::byte* memory, std::size_t from, std::size_t to);

  std::size_t count() const noexcept { return count_; }
  /// The bytes in all pieces together.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  void part(const Node& node, std::byte* memory, std::size_t from, std::size_t to);
  void listed(const Node& node, std::byte* memory, std::size_t from, std::size_t to);
  void add(std::byte* base, std::size_t length);

  const Layout& layout_;
  std::span<iovec> target_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  bool full_ = false;  ///< there was no room for the next run
};

}  // namespace bowline::dtype
