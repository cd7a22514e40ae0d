// SPDX-License-Identifier: BSD-3-Clause
// A file in memory, for tests of what stands above the storage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

class MemoryStorage final : public Storage {
 public:
  ssize_t read_some(Offset offset, std::span<std::byte> target) noexcept override {
    const std::lock_guard hold(mutex);
    ++calls;
    const std::size_t end = bytes.size();
    const auto at = static_cast<std::size_t>(offset);
    const std::size_t length = at >= end ? 0 : std::min(target.size(), end - at);
    if (length > 0) std::memcpy(target.data(), bytes.data() + at, length);
    return static_cast<ssize_t>(length);
  }
  ssize_t write_some(Offset offset, std::span<const std::byte> source) noexcept override {
    const std::lock_guard hold(mutex);
    ++calls;
    const auto at = static_cast<std::size_t>(offset);
    if (at + source.size() > bytes.size()) bytes.resize(at + source.size());
    if (!source.empty()) std::memcpy(bytes.data() + at, source.data(), source.size());
    return static_cast<ssize_t>(source.size());
  }
  ssize_t read_list_some(Offset offset, std::span<const iovec> targets) noexcept override {
    ssize_t all = 0;
    for (const iovec& each : targets) {
      const ssize_t moved = read_some(offset + all, {static_cast<std::byte*>(each.iov_base), each.iov_len});
      all += moved;
      if (moved < static_cast<ssize_t>(each.iov_len)) break;
    }
    return all;
  }
  ssize_t write_list_some(Offset offset, std::span<const iovec> sources) noexcept override {
    ssize_t all = 0;
    for (const iovec& each : sources)
      all += write_some(offset + all, {static_cast<const std::byte*>(each.iov_base), each.iov_len});
    return all;
  }
  int sync() noexcept override { return 0; }
  int size(Offset& length) noexcept override {
    length = static_cast<Offset>(bytes.size());
    return 0;
  }
  int truncate(Offset length) noexcept override {
    bytes.resize(static_cast<std::size_t>(length));
    return 0;
  }
  int preallocate(Offset length) noexcept override {
    bytes.resize(std::max(bytes.size(), static_cast<std::size_t>(length)));
    return 0;
  }
  int lock(Extent, LockKind) noexcept override { return 0; }
  int unlock(Extent) noexcept override { return 0; }
  int find_lock(Extent, bool& found) noexcept override {
    found = false;
    return 0;
  }
  int close() noexcept override { return 0; }
  int descriptor() const noexcept override { return -1; }

  std::mutex mutex;
  std::vector<std::byte> bytes;
  int calls = 0;
};

}  // namespace bowline::mpiio
