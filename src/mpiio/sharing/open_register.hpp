// SPDX-License-Identifier: BSD-3-Clause
// OpenRegister: whether a file has been opened by other calls of MPI_File_open than this one, on any node. Data sieving
// must not write to a file that others write to, because they know nothing of its range board.
//
// The register is the table of locks that the system keeps for the file: each open that may write holds a lock on one
// byte, far behind the end of any file, whose number is random. Locks leave no trace, and end with the process. Before
// a process sieves, it looks for locks of other opens at such bytes. It looks while it holds a shared lock on the gate,
// a byte in front of them; an open that has just registered waits at the gate until sieving processes have gone (the
// open takes an exclusive lock on the gate once, and releases it).
#pragma once

#include <cstdint>
#include <mutex>

#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

class OpenRegister {
 public:
  /// `number`: a random number of this open, equal in the processes of a node that belong to the open.
  OpenRegister(Storage& storage, std::uint64_t number) noexcept;
  OpenRegister(const OpenRegister&) = delete;
  OpenRegister& operator=(const OpenRegister&) = delete;

  /// Registers the open; one process on each node does so, before any of them writes. The registration ends when the
  /// storage is closed. Returns an error number.
  int enter() noexcept;

  /// Keeps new opens waiting during its lifetime, if it finds that there are no other opens.
  class Alone {
   public:
    explicit Alone(OpenRegister& opens) noexcept;
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

    /// Whether no other open exists until this object ends.
    bool holds() const noexcept { return holds_; }

   private:
    OpenRegister& opens_;
    bool holds_ = false;
  };

 private:
  Extent gate() const noexcept;
  Extent own() const noexcept;
  bool others() noexcept;
  bool pass_gate() noexcept;
  void leave_gate() noexcept;

  Storage& storage_;
  Offset number_;
  std::mutex mutex_;
  int inside_ = 0;  ///< threads that hold the gate, which the system counts as one owner
};

}  // namespace bowline::mpiio
