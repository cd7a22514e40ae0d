// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 12.5: synchronization of one-sided operations.
#include <fmt/format.h>

#include "api/one_sided/windows.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/group.hpp"
#include "rma/window.hpp"

namespace bowline::api {

void check_assertion(int assertion, int allowed, const char* names) {
  if ((assertion & ~allowed) == 0) [[likely]]
    return;
  throw Error(ErrorClass::assertion, fmt::format("assert is {}, but this call takes 0 or {} only", assertion, names));
}

void win_fence(int assert, rma::Window& win) {
  check_assertion(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED,
                  "MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED");
  win.fence({.nothing_before = (assert& MPI_MODE_NOPRECEDE) != 0, .nothing_after = (assert& MPI_MODE_NOSUCCEED) != 0});
}

void win_post(const comm::Group& group, int assert, rma::Window& win) {
  check_assertion(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT,
                  "MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT");
  win.post(group);
}

void win_start(const comm::Group& group, int assert, rma::Window& win) {
  check_assertion(assert, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  win.start(group, (assert& MPI_MODE_NOCHECK) != 0);
}

void win_complete(rma::Window& win) {
  win.complete();
}

void win_wait(rma::Window& win) {
  win.wait();
}

void win_test(rma::Window& win, int* flag) {
  *flag = win.test() ? 1 : 0;
}

// A lock of MPI_PROC_NULL locks nothing, but it begins an epoch, which the unlock ends.
void win_lock(int lock_type, int rank, int assert, rma::Window& win) {
  if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
    throw Error(ErrorClass::locktype,
                fmt::format("lock_type is {}, but it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE", lock_type));
  check_assertion(assert, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  if (rank == MPI_PROC_NULL) return;
  win.lock(lock_type == MPI_LOCK_SHARED ? rma::LockKind::shared : rma::LockKind::exclusive, rank,
           (assert& MPI_MODE_NOCHECK) != 0);
}

void win_unlock(int rank, rma::Window& win) {
  if (rank != MPI_PROC_NULL) win.unlock(rank);
}

void win_lock_all(int assert, rma::Window& win) {
  check_assertion(assert, MPI_MODE_NOCHECK, "MPI_MODE_NOCHECK");
  win.lock_all((assert& MPI_MODE_NOCHECK) != 0);
}

void win_unlock_all(rma::Window& win) {
  win.unlock_all();
}

void win_flush(int rank, rma::Window& win) {
  if (rank != MPI_PROC_NULL) win.flush(rank);
}

void win_flush_all(rma::Window& win) {
  win.flush_all();
}

void win_flush_local(int rank, rma::Window& win) {
  if (rank != MPI_PROC_NULL) win.flush_local(rank);
}

void win_flush_local_all(rma::Window& win) {
  win.flush_local_all();
}

void win_sync(rma::Window& win) {
  win.sync();
}

}  // namespace bowline::api
