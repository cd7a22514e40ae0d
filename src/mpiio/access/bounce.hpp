// SPDX-License-Identifier: BSD-3-Clause
// Bounce: memory for a part of a file on its way between the file and the user's buffer.
#pragma once

#include <cstddef>
#include <span>

namespace bowline::mpiio {

/// Uninitialized memory, aligned to pages. Some buffers of former objects are kept for later objects, because the
/// system takes long to provide the pages of new buffers. Throws std::bad_alloc.
class Bounce {
 public:
  explicit Bounce(std::size_t bytes);
  Bounce(const Bounce&) = delete;
  Bounce& operator=(const Bounce&) = delete;
  ~Bounce();

  std::byte* data() const noexcept { return memory_; }
  std::size_t size() const noexcept { return bytes_; }
  std::span<std::byte> first(std::size_t bytes) const noexcept { return {memory_, bytes}; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
  std::size_t capacity_;
};

}  // namespace bowline::mpiio
