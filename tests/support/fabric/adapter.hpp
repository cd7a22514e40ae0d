// SPDX-License-Identifier: BSD-3-Clause
// The objects that this process's verbs return: each is the structure of <infiniband/verbs.h> with what the fabric
// keeps besides. Objects that were destroyed keep their memory, so that their use afterwards is found and named.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "support/fabric/pins.hpp"
#include "support/fabric/subnet.hpp"
#include "support/fabric/verbs_header.hpp"

namespace fabric {

inline constexpr int most_pieces = 16;    ///< of a send's gather list
inline constexpr int most_sends = 4096;   ///< of a queue pair
inline constexpr int most_inline = 256;   ///< bytes
inline constexpr int most_reads = 16;     ///< and atomic operations at a time
inline constexpr int physical_ports = 4;  ///< that a device may have
inline constexpr std::uint32_t longest_message = 1U << 31;

struct Context : verbs_context {
  int device_number;
  int events;  ///< the channel of its asynchronous events
  int domains = 0;
};
/// Programs know a context by its last member.
inline Context& context_of(ibv_context* known) {
  return static_cast<Context&>(*verbs_get_ctx(known));
}

/// Of this process. The lock is held.
std::vector<Context*>& open_contexts();

struct Domain : ibv_pd {
  std::uint32_t number;
  int users = 0;
  bool live = true;
};

struct Registration : ibv_mr {
  int region;
  bool on_demand;              ///< its pages are not locked
  std::unique_ptr<Pins> pins;  ///< with FABRIC_PINNED
  bool live = true;
};

struct CompletionChannel : ibv_comp_channel {
  int entry;
};

struct Completions : ibv_cq {
  int entry;
  int users = 0;
  unsigned events = 0;  ///< taken from the channel
  bool live = true;
};

struct SharedReceives : ibv_srq {
  int entry;
  int users = 0;
  bool live = true;
};

/// A send request that was posted and is not done.
struct Work {
  std::uint64_t id;
  ibv_wr_opcode opcode;
  bool signaled;
  bool solicited;
  std::uint32_t immediate;
  std::uint64_t address;
  std::uint32_t key;
  std::uint64_t add_or_compare;
  std::uint64_t swap;
  int pieces;
  std::array<ibv_sge, most_pieces> list;
  bool is_inline;
  std::array<std::byte, most_inline> data;
  std::uint32_t length;
};

struct SendQueue {
  std::vector<Work> slots;
  std::uint32_t posted = 0;
  std::uint32_t executed = 0;
  std::uint32_t freed = 0;          ///< by polled completions
  std::uint64_t waiting_since = 0;  ///< when the oldest request could not be carried out; 0 if it has not been tried
  bool not_ready = false;           ///< it waits for a receive, not for the peer
};

struct Pair : ibv_qp {
  int entry;
  ibv_qp_attr attributes{};
  bool every_send_signaled;
  ibv_qp_cap capacity;
  SendQueue sends;
  bool waiting = false;  ///< is in the list of queue pairs with work
  bool live = true;
};

// The entries of the objects in the subnet. The lock is held.
inline QueuePair& entry_of(const Pair& pair) {
  return subnet().queue_pairs[pair.entry];
}
inline CompletionQueue& entry_of(const Completions& queue) {
  return subnet().completion_queues[queue.entry];
}
inline ReceiveQueue& entry_of(const SharedReceives& queue) {
  return subnet().receive_queues[queue.entry];
}

/// Ends the program if an object was destroyed.
void check_live(bool live, const char* what);

// Ports. A port's number in the fabric comes from host, device and the device's port number, which counts from 1.
int fabric_port(int device, int port);
ibv_gid gid_of(int fabric_port, int index);
unsigned gid_type_of(int index);
int gids();                         ///< in a port's table
int port_with(const ibv_gid& gid);  ///< none if no port has it

}  // namespace fabric
