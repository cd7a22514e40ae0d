// SPDX-License-Identifier: BSD-3-Clause
// Operand: the origin's data, or the result, of an accumulate as a stream without holes, a portion at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "dtype/cursor.hpp"
#include "proto/request.hpp"

namespace bowline::rma {

class Operand {
 public:
  /// A buffer without a type is none: its stream is empty. `portion`: the most bytes of a portion.
  Operand(const proto::Buffer& buffer, std::size_t portion) : none_(buffer.type == nullptr) {
    if (none_) return;
    run_ = buffer.run();
    if (run_ != nullptr) return;
    cursor_.emplace(*buffer.type, buffer.count, buffer.base);
    packed_ = std::make_unique_for_overwrite<std::byte[]>(portion);
  }
  bool has_holes() const noexcept { return packed_ != nullptr; }

  /// Packs the next bytes of the buffer, as input.
  void read(std::size_t bytes) {
    if (cursor_) cursor_->pack({packed_.get(), bytes});
  }
  /// The bytes from `at` on: in place, or packed.
  std::span<std::byte> take(std::size_t at, std::size_t bytes) const noexcept {
    if (none_) return {};
    return {run_ != nullptr ? run_ + at : packed_.get(), bytes};
  }
  /// Unpacks the taken bytes into the buffer, as output.
  void write(std::size_t bytes) {
    if (cursor_) cursor_->unpack({packed_.get(), bytes});
  }

 private:
  bool none_;
  std::byte* run_ = nullptr;
  std::optional<dtype::Cursor> cursor_;
  std::unique_ptr<std::byte[]> packed_;
};

}  // namespace bowline::rma
