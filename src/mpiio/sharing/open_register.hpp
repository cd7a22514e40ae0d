// SPDX-License-Identifier: BSD-3-Clause
// OpenRegister: whether a file has been opened by other calls of MPI_File_open than this one, on any node. Data sieving
// must not write to a file that others write to, because they know nothing of its range board.
//
// The register is the table of locks that the system keeps for the file: each open that may write holds a lock on one
// byte, far behind the end of any file, whose number is random. Locks leave no trace, and end with the process. Before
// a process sieves it looks for locks of others at such bytes. It does so while it holds a shared lock on the gate, a
// byte in front of them; an open that has just registered waits there until those that sieve have gone (it takes the
// gate for itself once, and releases it).
#pragma once

#include <cstdint>
#include <mutex>

#include "mpiio/storage/storage.hpp"

namespace bowline::mpiio {

class OpenRegister {
 public:
  /// `number`: of this open, equal in its processes of a node, random.
  OpenRegister(Storage& storage, std::uint64_t number) noexcept;
  OpenRegister(const OpenRegister&) = delete;
  OpenRegister& operator=(const OpenRegister&) = delete;

  /// Registers the open; one process on each node does so, before any of them writes. Ends when the storage is closed.
  /// Returns an error number.
  int enter() noexcept;

  /// Keeps new opens waiting during its lifetime, if it finds that there are no others.
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
