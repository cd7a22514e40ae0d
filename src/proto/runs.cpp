// SPDX-License-Identifier: BSD-3-Clause
#include "proto/runs.hpp"

#include <algorithm>

#include "dtype/cursor.hpp"

namespace bowline::proto {

/// `bytes_` at most, and no more than `most` runs.
void Runs::list_blocks(const SendRequest& send, std::size_t most) noexcept {
  const std::size_t longest = bytes_;
  bytes_ = 0;
  if (longest <= longest_packed) return;
  dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
  cursor.seek(send.sent);
  const std::size_t found = cursor.next_iovec(std::span(list_).first(most));
  while (count_ < found && bytes_ < longest) {
    iovec& run = list_[count_++];
    run.iov_len = std::min(run.iov_len, longest - bytes_);
    bytes_ += run.iov_len;
  }
}

}  // namespace bowline::proto
