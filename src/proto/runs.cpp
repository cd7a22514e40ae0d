// SPDX-License-Identifier: BSD-3-Clause
#include "proto/runs.hpp"

#include <algorithm>

#include "dtype/cursor.hpp"
#include "proto/request.hpp"

namespace bowline::proto {

Runs::Runs(const SendRequest& send, const transport::Limits& limits) noexcept
    : count_(0), bytes_(std::min(limits.max_posted, send.bytes - send.sent)) {
  if (send.data != nullptr) {
    list_[0] = {const_cast<std::byte*>(send.data + send.sent), bytes_};
    count_ = 1;
    return;
  }
  if (bytes_ == 0) return;
  dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
  cursor.seek(send.sent);
  const std::size_t found = cursor.next_iovec(std::span(list_).first(limits.max_runs));
  std::size_t bytes = 0;
  while (count_ < found && bytes < bytes_) {
    iovec& run = list_[count_++];
    run.iov_len = std::min(run.iov_len, bytes_ - bytes);
    bytes += run.iov_len;
  }
  bytes_ = bytes;
}

}  // namespace bowline::proto
