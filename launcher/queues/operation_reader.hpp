// SPDX-License-Identifier: BSD-3-Clause
// OperationReader: the receives and sends of a rank, as its memory has them.
#pragma once

#include <cstdint>
#include <utility>

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/communicator_list.hpp"
#include "launcher/queues/memory_reader.hpp"
#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

class OperationReader {
 public:
  /// The memory must outlive the reader. Throws QueueError.
  explicit OperationReader(const ProcessMemory& memory);

  const QueueRecord& record() const noexcept { return record_; }
  const MemoryReader& memory() const noexcept { return reader_; }
  const CommunicatorList& communicators() const noexcept { return communicators_; }

  // Throw Inconsistent.
  /// A copy of a request has the layout of a receive, or of a send.
  PendingMessage receive_in(const ObjectCopy& object, PendingMessage::State state) const;
  PendingMessage send_in(const ObjectCopy& object) const;
  std::uint32_t context_of(const ObjectCopy& object, const QueueRecord::RequestLayout& layout) const {
    return static_cast<std::uint32_t>(object.number(layout.context));
  }
  /// The bytes of the program's buffer.
  std::uint64_t bytes_in(const ObjectCopy& object, const QueueRecord::RequestLayout& layout) const;
  /// Whether a request exists, has been started and has not ended.
  static bool is_pending(const ObjectCopy& object, const QueueRecord::RequestLayout& layout);
  /// Whether a send that is pending has been made: one that is queued is in a list, unless the rank is just making it.
  bool is_begun(const ObjectCopy& object, const PendingMessage& send) const;

  /// Adds the process of a rank, or the rank of a process. Collectives of an intercommunicator number the members of
  /// both groups in another way.
  PendingMessage complete(std::uint32_t context, PendingMessage message) const;

 private:
  QueueRecord record_;
  MemoryReader reader_;
  CommunicatorList communicators_;
};

}  // namespace bowline::launcher
