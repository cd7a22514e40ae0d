// SPDX-License-Identifier: BSD-3-Clause
// Staging: data of the user's buffers that have holes, without them, for the length of a collective operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/scratch.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {

/// Memory of an operation, and what moves between it and the buffers. Keeps the datatypes alive.
class Staging {
 public:
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    if (used_ != 0) [[unlikely]]
      release_types();
  }

  /// Once, before anything is added: room for so many bytes and so many moves.
  void reserve(std::size_t bytes, std::size_t moves);
  std::byte* memory() const noexcept { return memory_.data(); }
  /// `packed`: in this memory or elsewhere, as long as this object lives.
  void add(const dtype::Datatype& type, std::size_t count, std::uintptr_t buffer, std::byte* packed) noexcept;

  /// From the buffers, and to them.
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
