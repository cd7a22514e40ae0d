// SPDX-License-Identifier: BSD-3-Clause
// Staging: packed copies of the user's buffers with holes, for the duration of a collective operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/scratch.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {

/// Memory of an operation, and the list of copies between this memory and the user's buffers. Keeps the datatypes
/// alive.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    if (used_ != 0) [[unlikely]]
      release_types();
  }

  /// Makes room for `bytes` bytes and `moves` copies. To be called once, before add().
  void reserve(std::size_t bytes, std::size_t moves);
  std::byte* memory() noexcept { return memory_.data(); }
  /// Adds a copy. `packed`: in this memory or elsewhere; must outlive this object.
  void add(const dtype::Datatype& type, std::size_t count, std::uintptr_t buffer, std::byte* packed) noexcept;

  /// Copies from the user's buffers; unpack() copies to them.
  void pack() const {
    if (used_ != 0) [[unlikely]]
      pack_all();
  }
  void unpack() const {
    if (used_ != 0) [[unlikely]]
      unpack_all();
  }

 private:
  void pack_all() const;
  void unpack_all() const;
  void release_types() noexcept;

  struct Move {
    const dtype::Datatype* type;
    std::size_t count;
    void* buffer;
    std::byte* packed;
  };
  ScratchArray<std::byte> memory_;
  ScratchArray<Move> moves_;
  std::size_t used_ = 0;
};

}  // namespace bowline::api
