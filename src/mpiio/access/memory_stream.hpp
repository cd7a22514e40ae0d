// SPDX-License-Identifier: BSD-3-Clause
// MemoryStream: a user's buffer as a stream of bytes.
#pragma once

#include <cstddef>
#include <span>

#include "dtype/cursor.hpp"
#include "proto/request.hpp"

namespace bowline::mpiio {

class MemoryStream {
 public:
  explicit MemoryStream(const proto::Buffer& buffer) noexcept
      : run_(buffer.run()), cursor_(*buffer.type, buffer.count, buffer.base) {}

  /// Whether the data are one run of memory; then at() gives them without a copy.
  bool contiguous() const noexcept { return run_ != nullptr; }
  std::span<std::byte> at(std::size_t position, std::size_t bytes) const noexcept { return {run_ + position, bytes}; }

  /// Copies bytes of the stream, from `position` on.
  void copy_out(std::size_t position, std::span<std::byte> target) {
    cursor_.seek(position);
    cursor_.pack(target);
  }
  void copy_in(std::size_t position, std::span<const std::byte> source) {
    cursor_.seek(position);
    cursor_.unpack(source);
  }
  /// Lists the places of the bytes from `position` on.
  std::size_t list(std::size_t position, std::span<iovec> pieces) {
    cursor_.seek(position);
    return cursor_.next_iovec(pieces);
  }

 private:
  std::byte* run_;
  dtype::Cursor cursor_;
};

}  // namespace bowline::mpiio
