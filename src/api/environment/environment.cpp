// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapters 9 and 11: start and end, versions, clocks.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "api/checking/checked_call.hpp"
#include "api/entry/this_process.hpp"
#include "api/processes/parent.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "node/host.hpp"
#include "runtime/job_directory.hpp"
#include "runtime/library_version.hpp"
#include "runtime/runtime.hpp"

namespace bowline::api {
namespace {

using runtime::this_process;

void start_mpi(int thread_level) {
  if (this_process().initialized()) {
    throw Error(ErrorClass::other, this_process().finalized() ? "MPI was finalized before and cannot be started again"
                                                              : "MPI is running already: call it once per process");
  }
  this_process().init(thread_level);
  meet_parents();
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Copies text into the user's buffer of `room` bytes, the length that MPI's constants define.
void give_text(std::string_view text, std::size_t room, char* target, int* length) {
  const std::size_t bytes = std::min(text.size(), room - 1);
  std::memcpy(target, text.data(), bytes);
  target[bytes] = '\0';
  *length = static_cast<int>(bytes);
}

}  // namespace

void init(int*, char***) {
  start_mpi(MPI_THREAD_SINGLE);
}

void init_thread(int*, char***, int required, int* provided) {
  if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED && required != MPI_THREAD_SERIALIZED &&
      required != MPI_THREAD_MULTIPLE) {
    throw Error(ErrorClass::arg, fmt::format("required is {}, but a thread level is one of MPI_THREAD_SINGLE, "
                                             "MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED and MPI_THREAD_MULTIPLE",
                                             required));
  }
  start_mpi(required);
  *provided = this_process().thread_level();
}

// Deletes the attributes of MPI_COMM_SELF first, while MPI still works (MPI-5.0, section 11.4.2).
void finalize() {
  if (comm::Communicator* const self = this_process().public_self()) self->attributes().remove_all(MPI_COMM_SELF);
  tell_of_leaks();
  tell_of_rivals();
  this_process().finalize();
}
void initialized(int* flag) {
  *flag = this_process().initialized() ? 1 : 0;
}
void finalized(int* flag) {
  *flag = this_process().finalized() ? 1 : 0;
}
void query_thread(int* provided) {
  *provided = this_process().thread_level();
}
void is_thread_main(int* flag) {
  *flag = this_process().is_main_thread() ? 1 : 0;
}

void abort(comm::Communicator& comm, int errorcode) {
  const std::string whose = runtime::communicator_in_words(comm.context(), &comm);
  this_process().abort_job(errorcode, fmt::format("MPI_Abort was called on {} with code {}", whose, errorcode));
}

void get_version(int* version, int* subversion) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
}

void get_library_version(char* version, int* resultlen) {
  give_text(runtime::library_version(), MPI_MAX_LIBRARY_VERSION_STRING, version, resultlen);
}

void get_processor_name(char* name, int* resultlen) {
  give_text(node::host_name(), MPI_MAX_PROCESSOR_NAME, name, resultlen);
}

double wtime() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return seconds(now);
}

double wtick() {
  timespec resolution;
  clock_getres(CLOCK_MONOTONIC, &resolution);
  return seconds(resolution);
}

void pcontrol(const int) {}  // has an effect only in a profiling library that replaces this function

}  // namespace bowline::api
