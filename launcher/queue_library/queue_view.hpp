// SPDX-License-Identifier: BSD-3-Clause
// QueueView: communicators and operations of a process in the form in which debuggers ask for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "launcher/queue_library/mqs.hpp"
#include "launcher/queues/communicator_list.hpp"
#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// What a process had at one moment, and a place in it.
class QueueView {
 public:
  /// All communicators that the program has not freed, and all others in which something is pending: those of
  /// collectives, and those that exist elsewhere only. Throws QueueError.
  explicit QueueView(const ProcessMemory& memory);

  // The communicators, in ascending order of their contexts.
  void to_first() noexcept { at_ = 0; }
  void to_next() noexcept { at_ += is_at_end() ? 0 : 1; }
  bool is_at_end() const noexcept { return at_ == entries_.size(); }

  // Of the communicator at which the view is; there must be one.
  mqs::Communicator communicator() const;
  /// The rank in MPI_COMM_WORLD of each member; mqs::invalid_process for members of other jobs.
  std::vector<int> group() const;
  /// The operations of this class.
  std::vector<mqs::PendingOperation> operations(mqs::OperationClass kind) const;

 private:
  /// Rank in MPI_COMM_WORLD of a process.
  int global_rank(int process) const noexcept;
  mqs::PendingOperation operation(const PendingMessage& message, const SeenContext& context) const;

  RankCommunicators communicators_;
  std::vector<ContextQueues> entries_;
  std::size_t at_ = 0;
};

}  // namespace bowline::launcher
