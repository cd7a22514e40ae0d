// SPDX-License-Identifier: BSD-3-Clause
// MPIX_Rendezvous, which makes a process that nobody has launched part of a world.
#include "wireup/rendezvous/rendezvous.hpp"

#include <mpi-ext.h>

#include "api/entry/call.hpp"
#include "api/entry/this_process.hpp"
#include "base/error.hpp"

extern "C" __attribute__((visibility("default"))) int MPIX_Rendezvous(const char* line) {
  namespace api = bowline::api;
  using bowline::Error;
  using bowline::ErrorClass;
  api::Call call("MPIX_Rendezvous", api::Call::any_time);
  try {
    if (api::this_process().initialized() || api::this_process().running()) {
      throw Error(ErrorClass::other,
                  "MPI has been initialized, and its world does not change any more: call this "
                  "function before MPI_Init");
    }
    if (line == nullptr) throw Error(ErrorClass::arg, "line is a null pointer: give HOST:PORT/SECRET,SIZE");
    bowline::wireup::set_rendezvous(line, "line");
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}
