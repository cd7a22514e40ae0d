// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a rank, as its memory has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/memory_reader.hpp"

namespace bowline::launcher {

struct SeenCommunicator {
  std::string name{};
  bool freed = false;
  int rank = 0;     ///< of this process
  int members = 0;  ///< of both groups of an intercommunicator
  int peers = 0;    ///< of the remote group of an intercommunicator; otherwise as many as members
  // The processes of the peers: a sequence, or a table.
  int first = 0;
  int stride = 1;
  std::vector<std::int32_t> table{};

  /// The index of the process with this rank among the peers; PendingMessage::unknown if there is none.
  int process_of(int peer) const noexcept;
  /// The inverse.
  int rank_of(int process) const noexcept;
};

class CommunicatorList {
 public:
  /// Throws QueueError.
  CommunicatorList(const MemoryReader& reader, const QueueRecord& record);

  /// The communicator that has this context, for whatever purpose; nullptr if there is none.
  const SeenCommunicator* find(std::uint32_t context) const noexcept;

 private:
  void add(const MemoryReader& reader, const QueueRecord& record, std::uint64_t address);

  std::map<std::uint32_t, SeenCommunicator> all_;  ///< by the context of point-to-point messages
};

}  // namespace bowline::launcher
