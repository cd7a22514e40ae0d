// SPDX-License-Identifier: BSD-3-Clause
// StandIns: memory that operations which have not been completed write to in place of the program's, so that a change
// of the program's memory is the program's doing. When the program completes the operation, it gets the data. They are
// made with BOWLINE_CHECK=buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "api/checking/pending_buffers.hpp"
#include "base/diagnosis/mpi_call.hpp"

namespace bowline::api::checking {

/// For the buffer of one operation.
class StandIn {
 public:
  /// Larger buffers get none.
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;

  /// `blocks`: the bytes of the program that the operation may write to, at least one. Their contents are copied.
  explicit StandIn(std::vector<std::span<std::byte>> blocks);

  /// What the operation takes for the program's address `buffer`.
  void* address(const void* buffer) const noexcept;
  /// Gives the program the data; may be called again when more have arrived. Returns whether it has changed its own
  /// memory meanwhile; those changes stay where the operation has written nothing new.
  bool finish() noexcept;
  bool overlaps(std::span<const std::byte> bytes) const noexcept;

 private:
  std::ptrdiff_t place(std::span<const std::byte> block) const noexcept { return block.data() - lowest_; }

  std::vector<std::span<std::byte>> blocks_;
  const std::byte* lowest_;
  std::size_t length_;  ///< from the first byte of all blocks to the last one
  std::unique_ptr<std::byte[]> memory_, before_;
};

/// Safe for several threads.
class StandIns {
 public:
  static StandIns& of_this_process();

  void add(const Completion& until, StandIn stand_in, const MpiCall& by);
  /// Whether another operation writes to some of these bytes.
  bool has(std::span<const std::byte> bytes);
  /// Another operation writes to these bytes, too, which has been told: nothing more is said about them.
  void say_nothing_of(std::span<const std::byte> bytes);
  /// The operations have been completed. Returns the calls that have begun those whose memory the program has changed.
  std::vector<MpiCall> completed(const Completion& what);
  bool is_known(const void* request);
  /// The request is freed before its operation is completed: the operation keeps the memory, and the program gets what
  /// arrives there by deliver_late().
  void leave(const void* request);
  void deliver_late();

 private:
  struct Entry {
    Completion until;
    StandIn stand_in;
    MpiCall by;
    bool is_told = true;
  };

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<StandIn> left_;  ///< for ever: nobody is told when their operations are completed
};

/// The sentence for the user about what completed() returns. `by`: the call that has completed the operation.
std::string changed_in_words(const MpiCall& begun, const MpiCall& by);

}  // namespace bowline::api::checking
