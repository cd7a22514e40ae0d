// SPDX-License-Identifier: BSD-3-Clause
// Windows: MPI_Win_fence (MPI-5.0, section 12.5.1).
#include "coll/calls/collectives.hpp"
#include "rma/synchronization/complete_stores.hpp"
#include "rma/synchronization/epoch_events.hpp"
#include "rma/window.hpp"

namespace bowline::rma {

/// Completes the operations of this process, then waits for all members to have done so. An error of an operation is
/// thrown at the end, so that no member waits for this member in vain.
void Window::fence(FenceAssertions assertions) {
  epochs_.check_fence();
  Failure failure;
  if (!pending_.empty()) {
    try {
      flush_pending();
    } catch (const Error& error) {
      failure = Failure(error);
    }
  }
  complete_stores();
  if (!assertions.nothing_before || !assertions.nothing_after) {
    coll::Arguments nothing;
    coll::run(comm_.team(), coll::Operation::barrier, nothing, coll::CallForm::internal);
  }
  if (epochs_.all_open()) tell_epoch(epoch_ended, *this, EpochKind::fence);
  epochs_.fenced(!assertions.nothing_after);
  if (epochs_.all_open()) tell_epoch(epoch_begun, *this, EpochKind::fence);
  if (failure != nullptr) throw Error(*failure);
}

}  // namespace bowline::rma
