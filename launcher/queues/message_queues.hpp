// SPDX-License-Identifier: BSD-3-Clause
// MessageQueues: the messages, receives and sends that are pending in a rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnosis/queue_record.hpp"

namespace bowline::launcher {

struct PendingMessage {
  enum class State : std::uint8_t {
    posted,     ///< a receive that no message has matched
    arriving,   ///< a receive whose message has been matched and is arriving
    eager,      ///< a message that no receive has matched; the rank keeps its data
    unfetched,  ///< the same, of which the sender keeps the data
    failed,     ///< the same, which the sender could not provide
    queued,     ///< from here on sends: QueueRecord::Stage
    announced,
    delivered,
    streaming,
    putting,
  };
  static constexpr int unknown = -3;

  State state = State::posted;
  int rank = unknown;       ///< source or destination in the communicator; QueueRecord::any_source
  int process = unknown;    ///< the same as an index of processes: the rank in the job if that is lower than its ranks
  int tag = 0;              ///< QueueRecord::any_tag
  std::uint64_t bytes = 0;  ///< of the message; of a posted receive, the most that it takes; of data that are under
                            ///< way, what the receiver has asked for, which may be a part of the message
  std::uint64_t moved = 0;  ///< bytes of it that have been sent, have arrived, or are kept here
  /// Address of the program's buffer; of an unexpected message, of the data that are kept here, 0 if there are none.
  std::uint64_t buffer = 0;
  /// Of an arriving receive: rank, tag and length of the message.
  struct Matched {
    int rank = unknown;
    int tag = 0;
    std::uint64_t bytes = 0;
  } matched{};
};

/// A context, and the communicator to which it belongs.
struct SeenContext {
  std::uint32_t context = 0;
  std::string communicator{};  ///< its name; empty if it has none, or is not known
  bool known = false;          ///< whether the communicator exists in the rank; the other members depend on it
  bool freed = false;          ///< whether the program has freed it
  int rank = 0;                ///< of this process
  int members = 0;             ///< of both groups of an intercommunicator
  int peers = 0;               ///< of the remote group of an intercommunicator; otherwise as many as members

  QueueRecord::Purpose purpose() const noexcept {
    return static_cast<QueueRecord::Purpose>(context % QueueRecord::purposes);
  }
  bool is_inter() const noexcept { return peers != members; }
  /// The number of members of this process's group.
  int local_members() const noexcept { return is_inter() ? members - peers : members; }
};

/// What is pending in one context.
struct ContextQueues : SeenContext {
  std::vector<PendingMessage> receives{};    ///< those that messages fill, then the posted ones, the oldest first
  std::vector<PendingMessage> unexpected{};  ///< the oldest first
  std::vector<PendingMessage> sends{};
};

struct MessageQueues {
  int rank = 0;                           ///< in the job
  int ranks = 0;                          ///< of the job
  std::vector<ContextQueues> contexts{};  ///< with something pending, in ascending order
};

}  // namespace bowline::launcher
