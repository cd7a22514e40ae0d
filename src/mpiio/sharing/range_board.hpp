// SPDX-License-Identifier: BSD-3-Clause
// RangeBoard: where the processes of a node write to a file at this moment. It keeps other writes out of a part of the
// file that a process reads, changes in memory and writes back (data sieving): otherwise that process would write old
// data over what another one has written meanwhile.
//
// Each process has some slots in memory that all of them share. A plain write announces its part in a slot, looks at
// the number of exclusive writers, and goes on if there is no exclusive writer: two stores, a fence and a load. An
// exclusive writer waits for all writers whose parts it overlaps. Two exclusive writers take turns by tickets, as in
// Lamport's bakery (Communications of the ACM 17 (1974), 10.1145/361082.361093). A process that has ended holds
// nothing: waiters ask the system from time to time.
//
// Waiting blocks the thread. Nobody waits for long: the time between enter() and leave() is the time of some system
// calls, and a process in between waits for no message.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/atomic.hpp"
#include "base/mutex.hpp"
#include "mpiio/storage/storage.hpp"
#include "node/process.hpp"

namespace bowline::mpiio {

class RangeBoard {
 public:
  enum class Access : std::uint8_t { plain, exclusive };

  /// Bytes of memory for this many processes.
  static std::size_t bytes_for(int processes) noexcept;

  /// Joins as process `rank`. The memory is aligned to cache lines, was zero when the first process joined, and must
  /// outlive the object. `process`: the id of this process.
  RangeBoard(std::span<std::byte> memory, int rank, int processes, pid_t process = getpid()) noexcept;
  RangeBoard(const RangeBoard&) = delete;
  RangeBoard& operator=(const RangeBoard&) = delete;

  /// A part of the file that this process writes. Other threads may enter at the same time, up to the number of slots;
  /// further threads wait.
  class Hold {
   public:
    Hold(RangeBoard& board, Extent part, Access kind) : board_(board), slot_(board.enter(part, kind)), kind_(kind) {}
    ~Hold() { board_.leave(slot_, kind_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    RangeBoard& board_;
    int slot_;
    Access kind_;
  };

 private:
  static constexpr int slots_each = 8;

  // States of a slot besides tickets, which are at least first_ticket.
  static constexpr std::uint64_t idle = 0;
  static constexpr std::uint64_t plain = 1;
  static constexpr std::uint64_t choosing = 2;  ///< an exclusive writer without its ticket
  static constexpr std::uint64_t first_ticket = 3;

  struct alignas(64) Header {
    Atomic<std::uint64_t> tickets;     ///< tickets that were handed out
    Atomic<std::uint64_t> exclusives;  ///< exclusive writers that hold or want a part
  };
  struct alignas(64) Slot {
    Atomic<std::uint64_t> state;
    Atomic<Offset> begin;
    Atomic<Offset> end;
    // The owner's process, by which others see whether the owner has ended.
    Atomic<std::int32_t> process;
    Atomic<std::uint64_t> pid_namespace;
  };

  int enter(Extent part, Access kind);
  void leave(int slot, Access kind) noexcept;
  int take_slot();
  void enter_plain(Slot& mine, Extent part);
  void enter_exclusive(Slot& mine, Extent part);
  template <class Blocks>
  void wait_for_each(const Slot& mine, Blocks blocks);
  template <class Blocks>
  void wait_while(Slot& other, Blocks blocks);
  void clear(Slot& of_ended) noexcept;
  bool has_ended(const Slot& other);
  std::span<Slot> own_slots() const noexcept { return slots_.subspan(own_, slots_each); }

  Header& header_;
  std::span<Slot> slots_;
  std::size_t own_;  ///< index of this process's first slot
  const pid_t process_;
  Mutex mutex_;
  std::uint32_t taken_ = 0;                              ///< a bit for each own slot
  std::vector<std::optional<node::PeerProcess>> known_;  ///< by process: processes that made this process wait for long
};

}  // namespace bowline::mpiio
