// SPDX-License-Identifier: BSD-3-Clause
// RunWork: one run of bytes between memory and a file. The kernel executes it where it offers that (io_uring),
// otherwise a thread of the library.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "mpiio/async/work.hpp"
#include "mpiio/sharing/range_board.hpp"
#include "mpiio/storage/whole_access.hpp"

namespace bowline::mpiio {

class RunWork final : public Work {
 public:
  RunWork(proto::Engine& engine, Storage& storage) noexcept : Work(engine), storage_(storage) {}

  /// The next access. `board`: tells other writers about a write; may be nullptr.
  void set(bool writes, Offset offset, std::span<std::byte> memory, RangeBoard* board) noexcept;
  /// Starts the access. Throws std::bad_alloc; nothing has begun then.
  void start();
  const Outcome& outcome() const noexcept { return outcome_; }

  void execute() noexcept override;

  // ---- for the executor
  struct Next {
    bool writes;
    int descriptor;
    Offset offset;
    std::span<std::byte> memory;
  };
  /// What the next call of the executor has to move.
  Next next() const noexcept;
  /// Takes the result of the access that next() describes, as Storage gives it; returns whether there is more to move.
  bool moved(ssize_t result) noexcept;
  /// Moves the remaining data, if no error has occurred, by system calls of this thread. Called before finish().
  void complete() noexcept;

 private:
  Storage& storage_;
  bool writes_ = false;
  Offset offset_ = 0;
  std::span<std::byte> memory_;
  RangeBoard* board_ = nullptr;
  std::optional<RangeBoard::Hold> hold_;
  Outcome outcome_;
  ssize_t last_ = -1;  ///< result of the last call
};

}  // namespace bowline::mpiio
