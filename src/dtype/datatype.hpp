// SPDX-License-Identifier: BSD-3-Clause
// Datatype: the layout of typed data in memory, and packing it into a contiguous stream.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "dtype/element.hpp"

namespace bowline::dtype {

/// Bytes of one datatype element that are data: `length` bytes from `offset`, counted from the element's address.
struct Block {
  std::ptrdiff_t offset;
  std::size_t length;
};

/// An immutable datatype. Predefined ones live as long as the process. Safe to share between threads.
class Datatype {
 public:
  /// A predefined type: `blocks` in the order of its type map.
  Datatype(std::string name, Element element, std::vector<Block> blocks, std::size_t extent);

  const char* name() const noexcept { return name_.c_str(); }
  /// Bytes of data in one element (MPI_Type_size); holes do not count.
  std::size_t size() const noexcept { return size_; }
  /// Bytes from one element to the next in an array (MPI_Type_get_extent).
  std::ptrdiff_t extent() const noexcept { return extent_; }
  bool committed() const noexcept { return true; }  // so far every datatype is a predefined one
  /// Whether an array of elements has no holes, so that it can be sent and received in place.
  bool contiguous() const noexcept { return contiguous_; }
  Element element() const noexcept { return element_; }
  std::span<const Block> blocks() const noexcept { return blocks_; }

 private:
  std::string name_;
  std::vector<Block> blocks_;
  std::size_t size_ = 0;
  std::ptrdiff_t extent_ = 0;
  Element element_;
  bool contiguous_ = false;
};

/// Gathers `count` elements at `source` into `stream`, which holds count * type.size() bytes.
void pack(const Datatype& type, std::size_t count, const void* source, std::byte* stream);

/// Scatters the first `bytes` bytes of `stream` into elements at `target`. The last element may be partial.
void unpack(const Datatype& type, const std::byte* stream, std::size_t bytes, void* target);

}  // namespace bowline::dtype
