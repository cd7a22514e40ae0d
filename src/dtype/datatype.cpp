// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/datatype.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bowline::dtype {

Datatype::Datatype(std::string name, Element element, std::vector<Block> blocks, std::size_t extent)
    : name_(std::move(name)),
      blocks_(std::move(blocks)),
      extent_(static_cast<std::ptrdiff_t>(extent)),
      element_(element) {
  for (const Block& block : blocks_) size_ += block.length;
  contiguous_ = blocks_.size() == 1 && blocks_[0].offset == 0 && size_ == extent;
}

void pack(const Datatype& type, std::size_t count, const void* source, std::byte* stream) {
  auto from = static_cast<const std::byte*>(source);
  for (std::size_t i = 0; i < count; ++i, from += type.extent()) {
    for (const Block& block : type.blocks()) {
      std::memcpy(stream, from + block.offset, block.length);
      stream += block.length;
    }
  }
}

void unpack(const Datatype& type, const std::byte* stream, std::size_t bytes, void* target) {
  auto to = static_cast<std::byte*>(target);
  for (; bytes > 0; to += type.extent()) {
    for (const Block& block : type.blocks()) {
      const std::size_t part = std::min(block.length, bytes);
      std::memcpy(to + block.offset, stream, part);
      stream += part;
      bytes -= part;
    }
  }
}

}  // namespace bowline::dtype
