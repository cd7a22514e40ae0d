// SPDX-License-Identifier: BSD-3-Clause
// BlockList: the blocks of memory of a message's data, if they are few and long, so that an adapter can access them one
// by one and nothing needs to be packed.
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <span>

#include "proto/request.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class BlockList {
 public:
  /// The first `bytes` bytes of the data, at least one. `worth`: accesses to single blocks pay if the blocks are at
  /// least that long on average, in bytes. Data without holes are one block of any length.
  BlockList(const Buffer& buffer, std::size_t bytes, std::size_t worth) noexcept;
  /// Data without holes, which may be a packed copy.
  BlockList(const std::byte* data, std::size_t bytes) noexcept : count_(1) {
    list_[0] = {const_cast<std::byte*>(data), bytes};
  }

  /// The blocks; empty if there are too many, or if they are too short.
  std::span<const iovec> list() const noexcept { return {list_.data(), count_}; }

 private:
  std::array<iovec, transport::most_iov> list_;  ///< the first `count_` are set
  std::size_t count_ = 0;
};

}  // namespace bowline::proto
