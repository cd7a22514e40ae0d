// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a rank, as its memory has them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/memory_reader.hpp"
#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// The indices of the processes of a group by rank: a sequence, or a table.
struct SeenGroup {
  int size = 0;
  int first = 0;
  int stride = 1;
  std::vector<std::int32_t> table{};

  /// PendingMessage::unknown if there is no such rank.
  int process_of(int rank) const noexcept;
  /// The inverse.
  int rank_of(int process) const noexcept;
};

struct SeenCommunicator {
  std::string name{};
  bool freed = false;
  int rank = 0;             ///< of this process
  int members = 0;          ///< of both groups of an intercommunicator
  SeenGroup peers{};        ///< the remote group of an intercommunicator; otherwise all members
  SeenGroup everyone{};     ///< of an intercommunicator both groups, one behind the other; otherwise empty
  bool local_first = true;  ///< whether this process's group is the first of both

  bool is_inter() const noexcept { return peers.size != members; }
  int local_members() const noexcept { return is_inter() ? members - peers.size : members; }
  /// The index of the process with this rank in this process's group.
  int local_process(int rank) const noexcept;
  /// One of its contexts.
  SeenContext in(std::uint32_t context) const;
};

class CommunicatorList {
 public:
  /// Throws QueueError.
  CommunicatorList(const MemoryReader& reader, const QueueRecord& record);

  /// The communicator that has this context, for whatever purpose; nullptr if there is none.
  const SeenCommunicator* find(std::uint32_t context) const noexcept;
  /// The context with what is known of its communicator.
  SeenContext describe(std::uint32_t context) const;
  /// All communicators, by the context of point-to-point messages.
  const std::map<std::uint32_t, SeenCommunicator>& all() const noexcept { return all_; }

 private:
  void add(const MemoryReader& reader, const QueueRecord& record, std::uint64_t address);

  std::map<std::uint32_t, SeenCommunicator> all_;
};

struct RankCommunicators {
  int rank = 0;                                     ///< in the job
  int ranks = 0;                                    ///< of the job
  std::map<std::uint32_t, SeenCommunicator> all{};  ///< by the context of point-to-point messages
};

/// The communicators of the rank with this memory, those that the program has freed and that are still in use among
/// them. Throws QueueError.
RankCommunicators read_communicators(const ProcessMemory& memory);

}  // namespace bowline::launcher
