// SPDX-License-Identifier: BSD-3-Clause
// Call: what every C entry point does around its body. Is MPI running, the library lock, and where an error goes.
#pragma once

#include <mpi.h>

#include <string>

#include "api/entry/handles.hpp"
#include "api/entry/raising.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {

/// One call of an MPI function, alive as long as the function runs. Never allocates on a call that succeeds.
class Call {
 public:
  enum AnyTime { any_time };
  enum Communicating { communicating };
  enum OfSession { of_session };

  [[gnu::always_inline]] explicit Call(const char* function) : function_(function) { lock(); }

  /// A function that may also be called before MPI_Init and after MPI_Finalize.
  [[gnu::always_inline]] Call(const char* function, AnyTime) : function_(function) {
    runtime::need_settings();
    lock();
  }

  /// A function that moves messages: it runs under the lock of a lane, not the library's.
  [[gnu::always_inline]] Call(const char* function, Communicating) : function_(function) {}

  /// A function on a session, which finds out by itself whether the session is one. It holds no lock of the library.
  [[gnu::always_inline]] Call(const char* function, OfSession) : function_(function) { runtime::need_settings(); }

  [[gnu::always_inline]] ~Call() {
    if (locked_) [[unlikely]]
      this_process().lock().release();
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// First of all in a function that is not for any time: throws Error (other) unless MPI is running.
  [[gnu::always_inline]] static void needs_mpi() {
    if (!this_process().running()) [[unlikely]]
      refuse();
  }

  /// The communicator behind the argument `name`, whose error handler hears of every later error of this call.
  /// Throws Error (comm) if the handle is none.
  comm::Communicator& comm(MPI_Comm handle, const char* name) {
    comm::Communicator* found = find_comm(handle);
    if (found == nullptr) [[unlikely]]
      bad_comm(handle, name);
    comm_ = found;
    return *found;
  }

  /// In a catch block: hands the exception to the error handler of the call's communicator (MPI_COMM_SELF's if it has
  /// none). Returns the error class, unless the handler ends the job.
  [[gnu::cold]] int failed();
  /// The same in a call that makes an object and attaches this error handler to it, which hears of the error too.
  /// `null`: the handle of no such object.
  [[gnu::cold]] int failed(MPI_Errhandler handler, MPI_Comm null) {
    return failed(handler, comm::ErrorHandler::Kind::communicator, null);
  }
  [[gnu::cold]] int failed(MPI_Errhandler handler, MPI_Session null) {
    return failed(handler, comm::ErrorHandler::Kind::session, null);
  }

  /// In a catch block of the tool interface, which knows no error handlers: returns the error class.
  [[gnu::cold]] int failed_silently() noexcept;

  /// Reports that the function has no body, through the error handler of `comm` or of MPI_COMM_SELF.
  [[gnu::cold]] int unsupported(MPI_Comm comm = MPI_COMM_SELF);

  /// The same for files, whose initial error handler is MPI_ERRORS_RETURN.
  [[gnu::cold]] int unsupported_file();

 private:
  [[gnu::always_inline]] void lock() {
    // An own flag, because MPI_Init_thread turns the lock on in the middle of a call that has not taken it.
    locked_ = this_process().lock().enabled();
    if (locked_) [[unlikely]]
      this_process().lock().acquire();
  }

  [[noreturn, gnu::cold]] static void refuse();
  [[noreturn, gnu::cold]] static void bad_comm(MPI_Comm handle, const char* name);
  int failed(MPI_Errhandler handler, comm::ErrorHandler::Kind kind, void* null);
  void unlock() noexcept;
  int raise(ErrorClass error_class, const char* text);
  int raise(const HandlerError& error);
  int raise(const ErrorsInStatus& error);
  int raise_sentence(ErrorClass error_class, const std::string& sentence);
  std::string sentence(const char* text) const;

  const char* function_;
  comm::Communicator* comm_ = nullptr;
  bool locked_ = false;
};

}  // namespace bowline::api
