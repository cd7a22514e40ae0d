// SPDX-License-Identifier: BSD-3-Clause
// QueueRecord: how to find the message queues of a rank in its memory, for readers outside of the process: bowline-ps,
// debuggers, and whoever opens a core file. The record says where the queues begin and how their parts are laid out, so
// a reader needs no debug information and no header but this one. The rank does nothing for its readers.
//
// A reader finds the record by its symbol, bowline_queue_record, or by searching the writable memory of the process's
// files for `magic` at addresses that are multiples of 16. `self` is the address of the record, from the start of MPI
// on. Then:
//
//   lanes           a vector of the addresses of engines
//   engine          .queues, .foreign_queues: vectors of the addresses of match queues, 0 where there is none
//                   .sends, .receives: vectors of the addresses of requests, those of calls that receive and wait left
//                   out. A request exists while mark == alive; it is pending while it is active and not done. A send
//                   with the stage `queued` is being made unless it is in a list
//                   .filled: a vector of slots, each with the address of a matched receive whose data arrive, or 0
//   match queue     .posted: a list of receives; .unexpected: a list of messages; both the oldest first
//   communicators   a vector of addresses by index, 0 where there is none; `world` and `own` are not in it
//   others          an array of numbers: how many requests there are that are no single send or receive, such as
//                   non-blocking collectives, of the communicators whose index modulo `other_counts` is the place in it
//
// The handle of a request, which the program has in its MPI_Request, is the address with the generation in bits that no
// address uses: its lowest four bits in bits 0 to 3, the other ones from bit 48 on.
//
// A vector is two addresses, of its first element and of the end behind the last. A text is an address and a number of
// bytes. A list is a ring through its head: head and elements have `next` and `previous`.
//
// All numbers have the byte order of the process. A context belongs to the communicator whose own context differs in
// the two lowest bits at most; they say what for (Purpose). The next 17 bits are the communicator's index.
#pragma once

#include <array>
#include <cstdint>

namespace bowline {

/// Written once, when MPI starts.
struct alignas(16) QueueRecord {
  static constexpr std::array<char, 16> right_magic{"bowline queues\x1a"};
  /// Grows when a reader of the former version would misunderstand the record. New members at the end do not raise it:
  /// `bytes` tells whether they are there.
  static constexpr std::uint32_t this_version = 2;

  /// A member of an object: a number of so many bytes.
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
  };

  // Values that do not change within a version.
  enum class Purpose : std::uint8_t { point_to_point, collective, partitioned, local };
  static constexpr std::uint32_t purposes = 4;
  /// Of a pending send.
  enum class Stage : std::uint8_t {
    queued,     ///< waits for room on the way to the receiver, or for the receiver's consent
    announced,  ///< the receiver knows of it; no receive has matched it yet, or the data are being fetched
    delivered,  ///< its data have arrived; no receive has matched it yet
    streaming,  ///< its data are being sent
    putting,    ///< its data are being written to the receiver's memory
  };
  static constexpr std::uint64_t kind_announced = 2;  ///< of an unexpected message: its data are still at the sender
  static constexpr std::uint64_t kind_failure = 15;   ///< the sender could not provide the message
  static constexpr std::int32_t any_source = -1;      ///< of a receive
  static constexpr std::int32_t any_tag = -2;         ///< of a receive
  static constexpr std::uint32_t indices = 1 << 17;   ///< of communicators
  static constexpr std::uint32_t low_generation_bits = 4, high_generation_shift = 48;  ///< of handles

  struct EngineLayout {
    std::uint32_t queues;          ///< offset of a vector
    std::uint32_t foreign_queues;  ///< offset of a vector
    std::uint32_t sends;           ///< offset of a vector
    std::uint32_t receives;        ///< offset of a vector
    std::uint32_t filled;          ///< offset of a vector of slots
    std::uint32_t slot_bytes;      ///< of a slot
    std::uint32_t slot_receive;    ///< offset of an address in a slot
  };
  struct ListLayout {
    std::uint32_t next;      ///< offset of an address
    std::uint32_t previous;  ///< offset of an address
  };
  struct MatchQueueLayout {
    std::uint32_t bytes;       ///< of a match queue
    std::uint32_t posted;      ///< offset of the list's head
    std::uint32_t unexpected;  ///< offset of the list's head
    Field context;
  };
  /// Of what receives and sends have in common.
  struct RequestLayout {
    std::uint32_t bytes;       ///< of the request
    std::uint32_t link;        ///< offset of the links of a list
    std::uint32_t alive;       ///< the mark of a request that exists
    std::uint32_t type_bytes;  ///< bytes of a datatype object up to the end of type_size
    Field mark, context, active, done;
    Field persistent;  ///< whether it may be started again
    Field detached;    ///< whether the program has freed its handle
    Field generation;  ///< a part of the handle
    Field tag;
    Field buffer, count, type;  ///< address, number of elements, address of the datatype
    Field type_size;            ///< of the datatype object: bytes of data in an element
  };
  struct ReceiveLayout {
    RequestLayout request;
    Field source;              ///< rank in the communicator, or any_source
    Field expected, received;  ///< bytes of the part that arrives now, of a receive whose data arrive
    Field matched_source, matched_tag, matched_bytes;  ///< of the message, once it has been matched
  };
  struct SendLayout {
    RequestLayout request;
    Field stage;      ///< a Stage
    Field bytes;      ///< of the message; while streaming or putting, of the part that the receiver has asked for
    Field sent;       ///< bytes of them that have been sent, while streaming
    Field peer;       ///< address of the receiver's peer object
    Field peer_rank;  ///< of the peer object: index of the process
  };
  struct UnexpectedLayout {
    std::uint32_t bytes;  ///< of the object
    std::uint32_t link;   ///< offset of the links of a list
    Field context, source, tag, kind;
    Field origin;   ///< index of the sender's process; negative for an element that is no message
    Field message;  ///< bytes of the whole message
    Field stored;   ///< bytes of it that this process keeps
    Field body;     ///< address of these bytes
  };
  /// Member m of a communicator is the process with the index table[m], or first + m * stride if there is no table. Of
  /// an intercommunicator these are the members of the remote group. `all_first`, `all_stride` and `all_table` say the
  /// same of the members of both groups, one group after the other; the local one comes first if the first of all is
  /// not the first of the remote group.
  struct CommunicatorLayout {
    std::uint32_t bytes;  ///< of the object
    std::uint32_t alive;  ///< the mark of one that the program has not freed
    std::uint32_t name;   ///< offset of a text
    Field mark, context;
    Field rank;     ///< of this process
    Field members;  ///< number, of both groups together
    Field peers;    ///< number of processes to which this one may send; less than `members` in intercommunicators only
    Field first, stride, table;
    Field all_first, all_stride, all_table;
  };

  std::array<char, 16> magic{};
  std::uint32_t version = 0;
  std::uint32_t bytes = 0;          ///< of the record
  std::uint64_t self = 0;           ///< address of the record; 0 before MPI has started
  std::int32_t rank = -1;           ///< of the process in its job
  std::int32_t ranks = 0;           ///< of the job: the processes with lower indices; others belong to other jobs
  std::uint64_t lanes = 0;          ///< address of a vector
  std::uint64_t world = 0;          ///< address of MPI_COMM_WORLD
  std::uint64_t own = 0;            ///< address of MPI_COMM_SELF
  std::uint64_t communicators = 0;  ///< address of a vector
  std::uint64_t others = 0;         ///< address of an array
  std::uint32_t other_counts = 0;   ///< its length
  std::uint32_t other_bytes = 0;    ///< of one of its numbers

  EngineLayout engine{};
  ListLayout list{};
  MatchQueueLayout match_queue{};
  ReceiveLayout receive{};
  SendLayout send{};
  UnexpectedLayout unexpected{};
  CommunicatorLayout communicator{};
};

/// The record of this process. The library exports it for readers, and uses its own even if the process has several.
extern "C" {
[[gnu::visibility("protected")]] extern QueueRecord bowline_queue_record;
}

}  // namespace bowline
