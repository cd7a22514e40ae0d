// SPDX-License-Identifier: BSD-3-Clause
// Incoming: an operation whose data arrive in several messages, at the target.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "dtype/cursor.hpp"
#include "dtype/datatype.hpp"
#include "proto/engine.hpp"
#include "rma/accumulator.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/target_data.hpp"

namespace bowline::rma {

class Window;

/// Sends data from memory that the library owns, and frees the memory when the data have been sent; or sends data from
/// the window's memory.
class AnswerSend final : public proto::SendObserver {
 public:
  /// Sends the bytes as the part of an answer from `offset` on. `kept`: their memory, if it has to be freed.
  static void begin(Window& window, int to, std::uint64_t answer_id, std::size_t offset, const proto::Buffer& data,
                    std::unique_ptr<std::byte[]> kept);
  void send_ended(const Error*) noexcept override { delete this; }

 private:
  explicit AnswerSend(std::unique_ptr<std::byte[]> kept) noexcept : kept_(std::move(kept)) {}
  std::unique_ptr<std::byte[]> kept_;
};

class Incoming {
 public:
  /// `place`: at `base`; `base` is nullptr if the operation has failed and its data are dropped. `element`: of an
  /// accumulate.
  Incoming(Window& window, int origin_process, const OperationHead& head, const TargetData& place, std::byte* base,
           const dtype::Datatype* element);

  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t received() const noexcept { return received_; }
  bool complete() const noexcept { return received_ == bytes_; }
  /// Applies the next data. There are at most bytes() - received() bytes of them.
  void take(std::span<const std::byte> data);

 private:
  void accumulate(std::span<const std::byte> data);
  void apply(std::size_t at, std::span<const std::byte> elements);

  Window& window_;
  int process_;
  OperationHead head_;
  dtype::TypeRef type_;
  std::size_t bytes_;
  std::size_t received_ = 0;
  std::byte* base_;
  const dtype::Datatype* element_;
  dtype::Cursor cursor_;  ///< of a put
  Exclusion exclusion_;
  std::optional<Accumulator> accumulator_;
  alignas(64) std::array<std::byte, 64> carry_;  ///< the beginning of an element whose end has not arrived
  std::size_t carried_ = 0;
};

}  // namespace bowline::rma
