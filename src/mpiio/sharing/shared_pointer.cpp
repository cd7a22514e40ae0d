// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/shared_pointer.hpp"

#include "base/atomic.hpp"

namespace bowline::mpiio {

SharedPointer::SharedPointer(comm::Communicator& comm, Atomic<Offset>* near) : comm_(comm), near_(near) {
  if (!serves()) return;
  const LockGuard lane(comm.engine().lock());
  PointerService::of(comm.engine()).serve(comm.context(), *near);
}

SharedPointer::~SharedPointer() {
  if (!serves()) return;
  const LockGuard lane(comm_.engine().lock());
  PointerService::of(comm_.engine()).remove(comm_.context());
}

Offset SharedPointer::change(PointerChange change, Offset value) {
  if (near_ != nullptr) return change_pointer(*near_, change, value);
  const LockGuard lane(comm_.engine().lock());
  return PointerService::of(comm_.engine()).change(comm_.process(0), comm_.context(), comm_.rank(), change, value);
}

}  // namespace bowline::mpiio
