// SPDX-License-Identifier: BSD-3-Clause
// SharedPointer: the file pointer that all processes of an open file share, in etypes. Rank 0 keeps it, in memory that
// it shares with the processes of its node; the others ask rank 0.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"
#include "comm/communicator.hpp"
#include "mpiio/sharing/pointer_service.hpp"

namespace bowline::mpiio {

/// Any thread may use a SharedPointer, which takes the lock of the communicator's lane if it has to ask another
/// process.
class SharedPointer {
 public:
  /// `near`: the pointer, if this process can reach it; otherwise nullptr.
  SharedPointer(comm::Communicator& comm, Atomic<Offset>* near);
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;
  ~SharedPointer();

  /// Both functions return the value before the call, and throw Error if the process that keeps the pointer is lost.
  Offset add(Offset etypes) { return change(PointerChange::add, etypes); }
  Offset set(Offset etypes) { return change(PointerChange::set, etypes); }
  Offset value() { return add(0); }

 private:
  Offset change(PointerChange change, Offset value);
  bool serves() const noexcept { return comm_.rank() == 0 && comm_.size() > 1; }

  comm::Communicator& comm_;
  Atomic<Offset>* near_;
};

}  // namespace bowline::mpiio
