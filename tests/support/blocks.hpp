// SPDX-License-Identifier: BSD-3-Clause
// Blocks: data with holes in their own memory, the datatype that describes them, and the contents of a message of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "owned_type.hpp"

namespace bowline::test {

class Blocks {
 public:
  struct Block {
    std::size_t place;  ///< offset in the memory
    std::size_t length;
  };

  static constexpr std::byte hole{0xee};

  /// The blocks in the order of the message, which need not be that of the memory. They do not overlap.
  explicit Blocks(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
    std::size_t end = 0;
    dtype::Envelope envelope{.combiner = dtype::Combiner::hindexed, .large = true};
    envelope.add_count(static_cast<std::int64_t>(blocks_.size()));
    for (const Block& block : blocks_) {
      envelope.add_count(static_cast<std::int64_t>(block.length));
      end = std::max(end, block.place + block.length);
    }
    for (const Block& block : blocks_) envelope.add_address(static_cast<std::int64_t>(block.place));
    memory.assign(end + 1, hole);
    type_ = committed(dtype::compose(std::move(envelope), dtype::byte_type()));
  }
  /// `count` blocks of `length` bytes, separated by holes of the same length.
  Blocks(std::size_t count, std::size_t length) : Blocks(regular(count, length)) {}
  /// Random blocks of up to `longest` bytes, `bytes` in all, shuffled. Some are empty, some are adjacent.
  Blocks(std::mt19937& random, std::size_t bytes, std::size_t longest) : Blocks(scattered(random, bytes, longest)) {}

  const dtype::Datatype& type() const noexcept { return *type_; }
  std::size_t bytes() const noexcept { return type_->size(); }
  const std::vector<Block>& list() const noexcept { return blocks_; }

  /// The contents of a message of these blocks.
  std::vector<std::byte> gathered() const {
    std::vector<std::byte> data;
    data.reserve(bytes());
    for (const Block& block : blocks_) {
      const std::byte* const from = memory.data() + block.place;
      data.insert(data.end(), from, from + block.length);
    }
    return data;
  }
  /// The memory after `data` was stored into the first bytes of the blocks; all other bytes have their initial value.
  std::vector<std::byte> with(const std::vector<std::byte>& data) const {
    std::vector<std::byte> all(memory.size(), hole);
    std::size_t done = 0;
    for (const Block& block : blocks_) {
      const std::size_t length = std::min(block.length, data.size() - done);
      std::copy_n(data.data() + done, length, all.data() + block.place);
      done += length;
    }
    return all;
  }
  /// Fills the blocks, not the holes.
  void fill(unsigned seed) {
    for (std::size_t i = 0; const Block& block : blocks_) {
      for (std::size_t at = block.place; at < block.place + block.length; ++at, ++i)
        memory[at] = static_cast<std::byte>((i * 167 + i / 251 + std::size_t{seed} * 29) % 0xee);
    }
  }

  std::vector<std::byte> memory;

 private:
  static std::vector<Block> regular(std::size_t count, std::size_t length) {
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < count; ++i) blocks.push_back({2 * i * length, length});
    return blocks;
  }
  static std::vector<Block> scattered(std::mt19937& random, std::size_t bytes, std::size_t longest) {
    std::vector<Block> blocks;
    std::size_t place = random() % 100;
    for (std::size_t left = bytes; left > 0;) {
      const std::size_t length = random() % 10 == 0 ? 0 : std::min<std::size_t>(left, 1 + random() % longest);
      blocks.push_back({place, length});
      left -= length;
      place += length + (random() % 4 == 0 ? 0 : 1 + random() % 300);
    }
    // Not every block changes its place, so that some neighbours stay neighbours.
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
      if (random() % 4 == 0) std::swap(blocks[i], blocks[random() % blocks.size()]);
    }
    return blocks;
  }

  std::vector<Block> blocks_;
  dtype::TypeRef type_;
};

}  // namespace bowline::test
