// SPDX-License-Identifier: BSD-3-Clause
#include "proto/protocols/block_list.hpp"

#include <algorithm>

#include "dtype/cursor.hpp"

namespace bowline::proto {

BlockList::BlockList(const Buffer& buffer, std::size_t bytes, std::size_t worth) noexcept {
  if (std::byte* const run = buffer.run(); run != nullptr) {
    list_[count_++] = {run, bytes};
    return;
  }
  dtype::Cursor cursor(*buffer.type, buffer.count, buffer.base);
  const std::size_t found = cursor.next_iovec(list_);
  std::size_t rest = bytes;
  while (count_ < found && rest > 0) {
    iovec& block = list_[count_++];
    block.iov_len = std::min(block.iov_len, rest);
    rest -= block.iov_len;
  }
  if (rest > 0 || bytes < count_ * worth) count_ = 0;
}

}  // namespace bowline::proto
