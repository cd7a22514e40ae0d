// SPDX-License-Identifier: BSD-3-Clause
#include "proto/sending/iov_list.hpp"

#include <algorithm>

#include "dtype/cursor.hpp"
#include "dtype/layout.hpp"

namespace bowline::proto {
namespace {

/// Whether the layout alone shows that this many runs contain fewer than `worth` bytes, as it does for types whose
/// blocks have one length. Two blocks may form one run where an element ends and the next one begins.
bool are_short(const dtype::Layout& layout, std::size_t runs, std::size_t worth) noexcept {
  const dtype::Node& top = layout.top();
  const bool alike = top.kind == dtype::NodeKind::run || top.kind == dtype::NodeKind::grid ||
                     (top.kind == dtype::NodeKind::blocks && !top.varied);
  return alike && 2 * runs * top.length < worth;
}

}  // namespace

/// Makes a list of at most `bytes_` bytes in at most `most` runs.
void IovList::list_blocks(const SendRequest& send, std::size_t most, std::size_t worth) noexcept {
  const std::size_t longest = bytes_;
  bytes_ = 0;
  if (longest <= longest_packed || are_short(send.buffer.type->layout(), most, worth)) return;
  dtype::Cursor cursor(*send.buffer.type, send.buffer.count, send.buffer.base);
  cursor.seek(send.sent);
  const std::size_t found = cursor.next_iovec(std::span(list_).first(most));
  while (count_ < found && bytes_ < longest) {
    iovec& run = list_[count_++];
    run.iov_len = std::min(run.iov_len, longest - bytes_);
    bytes_ += run.iov_len;
  }
  if (bytes_ < worth) count_ = 0;
}

}  // namespace bowline::proto
