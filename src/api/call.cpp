// SPDX-License-Identifier: BSD-3-Clause
// Call: the way of an error from where it was thrown to the error handler.
#include "api/call.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "base/log.hpp"

namespace bowline::api {
namespace {

/// For errors that no communicator can hear of: MPI is not running, so the initial handler, which is fatal, applies.
[[noreturn]] void end_process(ErrorClass error_class, const std::string& text) {
  std::fflush(nullptr);  // what the program has printed is part of what happened
  log::error("{}", text);
  std::_Exit(static_cast<int>(error_class));
}

}  // namespace

void Call::refuse() const {
  const char* state = runtime().finalized() ? "was called after MPI_Finalize" : "was called before MPI_Init";
  end_process(
      ErrorClass::other,
      fmt::format("{} {}: it is allowed between MPI_Init or MPI_Init_thread and MPI_Finalize only", function_, state));
}

void Call::bad_comm(MPI_Comm handle, const char* name) {
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) {
    throw Error(ErrorClass::comm,
                fmt::format("{} is {}, which exists between MPI_Init and MPI_Finalize only: sessions have "
                            "communicators of their own",
                            name, handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF"));
  }
  if (handle == MPI_COMM_NULL) {
    throw Error(ErrorClass::comm,
                fmt::format("{} is MPI_COMM_NULL: give a communicator that this process belongs to", name));
  }
  throw Error(ErrorClass::comm,
              fmt::format("{} is {}, which is no communicator: it was freed, never set, or is another "
                          "kind of handle",
                          name, fmt::ptr(static_cast<const void*>(handle))));
}

int Call::failed() {
  try {
    throw;
  } catch (const CommError& error) {
    comm_ = &error.comm;
    return raise(error.error_class(), error.what());
  } catch (const SessionError& error) {
    return raise(error);
  } catch (const Error& error) {
    return raise(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    return raise(ErrorClass::no_mem, "no memory is left: use less per process, or fewer processes per node");
  } catch (const std::exception& error) {
    return raise(ErrorClass::intern, error.what());
  }
}

int Call::failed_silently() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return static_cast<int>(error.error_class());
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

int Call::unsupported(MPI_Comm comm) {
  if (runtime().running()) comm_ = find_comm(comm);
  return raise(ErrorClass::unsupported_operation,
               "not implemented in this version of Bowline (see bowline-info --coverage)");
}

int Call::raise(const SessionError& error) {
  if (error.handler.action() != comm::ErrorHandler::Action::to_caller) {
    const std::string sentence = fmt::format("{}: {}", function_, error.what());
    if (!runtime().running()) end_process(error.error_class(), sentence);
    runtime().abort_job(static_cast<int>(error.error_class()), sentence);
  }
  return static_cast<int>(error.error_class());
}

int Call::raise(ErrorClass error_class, const char* text) {
  const std::string sentence = fmt::format("{}: {}", function_, text);
  if (!runtime().running()) end_process(error_class, sentence);
  return raise_error(comm_ != nullptr ? *comm_ : runtime().self(), error_class, sentence);
}

}  // namespace bowline::api
