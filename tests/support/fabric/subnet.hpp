// SPDX-License-Identifier: BSD-3-Clause
// The state that all processes of a simulated fabric share: a sparse file in /dev/shm, mapped by each.
//
// It holds what one process needs of another to carry out an operation alone, as an adapter does: where a key leads,
// which buffers wait for messages, where completions go. Send queues are not in it; each process works off its own. One
// lock guards everything. It is robust: a process may be killed while it holds it, because each step below leaves the
// tables usable.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "support/fabric/verbs_header.hpp"

namespace fabric {

inline constexpr int most_processes = 256;
inline constexpr int most_ports = 256;  ///< a port's number in the fabric is its LID, too
inline constexpr int most_queue_pairs = 4096;
inline constexpr int most_completion_queues = 512;
inline constexpr int most_receive_queues = 1024;
inline constexpr int most_channels = 1024;
inline constexpr int most_regions = 65536;
inline constexpr int most_completions = 16384;  ///< of a completion queue
inline constexpr int most_receives = 4096;      ///< of a receive queue
inline constexpr int most_receive_pieces = 4;   ///< of a receive's scatter list
inline constexpr int most_events = 256;         ///< that wait in a channel
inline constexpr int none = -1;
inline constexpr int nobody = 0;  ///< in place of a process: the first entry of their table is not used

/// A process that has opened a device. It is alive while memory at `mark_address` holds `mark`.
struct Process {
  pid_t pid;  ///< 0 if the entry is free
  std::uint64_t mark;
  std::uint64_t mark_address;
  std::uint32_t faults;  ///< how many of its queue pairs others have put into the error state
};

struct Region {
  bool used;
  int process;
  std::uint32_t domain;
  std::uint32_t key;  ///< the local key; the remote key is the next number
  std::uint64_t address;
  std::uint64_t length;
  std::uint64_t first;  ///< the address that requests use for the region's first byte
  unsigned access;
  std::uint64_t frames;  ///< where its process keeps the numbers of its pages; 0 if nobody checks them
};

struct Event {
  std::uint64_t object;  ///< the owner's pointer, or a port's number
  int type;              ///< an ibv_event_type; none for a completion
};

/// Events that wait for ibv_get_cq_event or ibv_get_async_event.
struct Channel {
  int process;           ///< nobody if the entry is free
  std::uint64_t number;  ///< names the socket of the descriptor
  int first;
  int count;
  Event events[most_events];
};

struct Completion {
  ibv_wc wc;
  std::uint32_t sends;  ///< so many sends of the queue pair are complete with it; 0 for a receive
};

enum class Armed { no, solicited, any };

struct CompletionQueue {
  int process;  ///< nobody if the entry is free
  int capacity;
  int first;
  int count;
  bool overrun;
  Armed armed;
  int channel;  ///< none without one
  int faults_channel;
  std::uint64_t owner;  ///< the owner's ibv_cq
  Completion entries[most_completions];
};

struct Receive {
  std::uint64_t id;
  int pieces;
  ibv_sge list[most_receive_pieces];
};

struct ReceiveQueue {
  int process;  ///< nobody if the entry is free
  std::uint32_t domain;
  bool shared;
  int capacity;
  int first;
  int count;
  int limit;  ///< an event is due when fewer receives are left; 0 for none
  int faults_channel;
  std::uint64_t owner;  ///< the owner's ibv_srq
  Receive entries[most_receives];
};

/// A port as a queue pair's path names it. Which of lid and gid counts is a matter of the link layer.
struct Path {
  std::uint16_t lid;
  ibv_gid gid;
  unsigned gid_type;  ///< of the sender's own address: RoCE version 1 and 2 do not understand each other
  bool global;
};

struct QueuePair {
  int process;  ///< nobody if the entry is free
  std::uint32_t number;
  std::uint32_t uses;  ///< of this entry, which make the next number differ
  ibv_qp_state state;
  std::uint32_t domain;
  int send_completions;
  int receive_completions;
  int receives;
  int port;  ///< in the fabric
  Path path;
  std::uint32_t peer;
  std::uint32_t send_psn;
  std::uint32_t receive_psn;
  ibv_mtu mtu;
  unsigned access;
  int reads_allowed;
  unsigned receiver_not_ready_timer;
  int faults_channel;
  std::uint64_t owner;  ///< the owner's ibv_qp
};

struct Port {
  std::uint64_t down_until;  ///< nanoseconds of the monotonic clock; 0 for up
};

struct Subnet {
  pthread_mutex_t mutex;
  std::uint64_t next_number;  ///< of domains and channels
  Process processes[most_processes];
  Port ports[most_ports];
  Region regions[most_regions];
  Channel channels[most_channels];
  QueuePair queue_pairs[most_queue_pairs];
  CompletionQueue completion_queues[most_completion_queues];
  ReceiveQueue receive_queues[most_receive_queues];
};

/// The fabric of this process, which it joins at the first call.
Subnet& subnet();
int own_process();

class [[nodiscard]] SubnetLock {
 public:
  SubnetLock();
  ~SubnetLock();
  SubnetLock(const SubnetLock&) = delete;
  SubnetLock& operator=(const SubnetLock&) = delete;
};

/// Whether a process runs still. The lock is held.
bool alive(int process);

std::uint64_t now();  ///< nanoseconds of the monotonic clock

}  // namespace fabric
