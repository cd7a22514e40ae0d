// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Rendezvous, which makes a process that nobody has launched part of a world.
#include "wireup/rendezvous/rendezvous.hpp"

#include "api/entry/this_process.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {

void rendezvous(const char* line) {
  if (this_process().initialized() || this_process().running()) {
    throw Error(ErrorClass::other,
                "MPI has been initialized, and its world does not change any more: call this "
                "function before MPI_Init");
  }
  wireup::set_rendezvous(line, "line");
}

}  // namespace bowline::api
