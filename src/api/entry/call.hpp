// SPDX-License-Identifier: BSD-3-Clause
// Call: what every C entry point does around its body. It checks that MPI is running, takes the library's lock, and
// passes errors to the error handler.
#pragma once

#include <mpi.h>

#include <string>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/file_handles.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/window_handles.hpp"
#include "comm/errhandler.hpp"
#include "runtime/runtime.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {

/// One call of an MPI function; lives as long as the function runs. A call that succeeds allocates nothing.
class Call {
 public:
  enum AnyTime { any_time };
  enum Communicating { communicating };
  enum OfSession { of_session };
  enum OfTool { of_tool };
  enum OnFile { on_file };

  [[gnu::always_inline]] explicit Call(const char* function) : function_(function) { lock(); }

  /// A function that may also be called before MPI_Init and after MPI_Finalize.
  [[gnu::always_inline]] Call(const char* function, AnyTime) : function_(function) {
    runtime::need_settings();
    lock();
  }

  /// A function that moves messages: it runs under the lock of a lane, not the library's.
  [[gnu::always_inline]] Call(const char* function, Communicating) : function_(function) {}

  /// A function on a session, whose body checks the session's handle. It holds no lock of the library.
  [[gnu::always_inline]] Call(const char* function, OfSession) : function_(function) { runtime::need_settings(); }

  /// A function of the tool interface. It holds no lock of the library, because tools call it while that works.
  [[gnu::always_inline]] Call(const char* function, OfTool) : function_(function) { runtime::need_settings(); }

  /// A function on files: it holds no lock of the library. Errors of calls without a valid file go to the error handler
  /// of MPI_FILE_NULL.
  [[gnu::always_inline]] Call(const char* function, OnFile) : function_(function), on_file_(true) {}

  [[gnu::always_inline]] ~Call() {
    if (locked_) [[unlikely]]
      this_process().lock().release();
  }

  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Throws Error (other) unless MPI is running. To be called first in a function that is not allowed at any time.
  [[gnu::always_inline]] static void needs_mpi() {
    if (!this_process().executes_directly()) [[unlikely]]
      refuse_unless_running();
  }
  /// Whether MPI does not run, or calls are looked at: CheckedCall::is_due() then says what to do.
  [[gnu::always_inline]] static bool is_special() { return !this_process().executes_directly(); }

  /// The communicator behind the argument `name`. Every later error of this call goes to its error handler. Throws
  /// Error (comm) if the handle is invalid.
  comm::Communicator& comm(MPI_Comm handle, const char* name) {
    comm::Communicator* found = find_comm(handle);
    if (found == nullptr) [[unlikely]]
      bad_comm(handle, name);
    comm_ = found;
    return *found;
  }

  /// The window behind the argument `name`. Later errors of this call go to the window's error handler. Throws Error
  /// (win) if the handle is invalid.
  rma::Window& win(MPI_Win handle, const char* name) {
    rma::Window* found = find_win(handle);
    if (found == nullptr) [[unlikely]]
      bad_win(handle, name);
    comm_ = &found->communicator();
    return *found;
  }

  /// The communicator behind the argument `name`, as comm() returns it, but without a change of the error handler:
  /// errors of MPI_File_open are errors of MPI_FILE_NULL.
  static comm::Communicator& comm_argument(MPI_Comm handle, const char* name) {
    comm::Communicator* found = find_comm(handle);
    if (found == nullptr) [[unlikely]]
      bad_comm(handle, name);
    return *found;
  }

  /// The file behind the argument `name`. Every later error of this call goes to its error handler. Throws Error (file)
  /// if the handle is invalid.
  mpiio::File& file(MPI_File handle, const char* name) {
    mpiio::File* found = find_file(handle);
    if (found == nullptr) [[unlikely]]
      bad_file(handle, name);
    comm_ = &found->comm();
    return *found;
  }

  /// To be called in a catch block: notes the exception for the error handler of the call's communicator (of
  /// MPI_COMM_SELF if the call has none), unless that ends the job. Releases the library's lock, because a handler may
  /// do anything. After the block, raise() calls the handler.
  [[gnu::cold]] void failed();
  /// Like failed(), for a call that makes an object with the error handler `handler`, which is to be called instead.
  /// `null`: the null handle of the object's kind.
  [[gnu::cold]] void failed(MPI_Errhandler handler, MPI_Comm null) {
    failed(handler, comm::ErrorHandler::Handles::communicator, null);
  }
  [[gnu::cold]] void failed(MPI_Errhandler handler, MPI_Session null) {
    failed(handler, comm::ErrorHandler::Handles::session, null);
  }
  /// After failed(), outside of the catch block: calls the error handler. Returns what the function must return. A
  /// handler may leave it by an exception or by longjmp() (raising.hpp).
  [[gnu::cold]] int raise() const;

  /// To be called in a catch block of the tool interface, which has no error handlers: returns the error class.
  [[gnu::cold]] int failed_silently() noexcept;

  /// Reports that the function is not implemented, through the error handler of `comm` or of MPI_COMM_SELF.
  [[gnu::cold]] int unsupported(MPI_Comm comm = MPI_COMM_SELF);

  /// Like unsupported(), for files, whose initial error handler is MPI_ERRORS_RETURN.
  [[gnu::cold]] int unsupported_file();

 private:
  [[gnu::always_inline]] void lock() {
    // A flag records the state of the lock, because MPI_Init_thread enables the lock in the middle of a call that has
    // not taken it.
    locked_ = this_process().lock().enabled();
    if (locked_) [[unlikely]]
      this_process().lock().acquire();
  }

  [[gnu::cold]] static void refuse_unless_running();
  [[noreturn, gnu::cold]] static void bad_comm(MPI_Comm handle, const char* name);
  [[noreturn, gnu::cold]] static void bad_win(MPI_Win handle, const char* name);
  [[noreturn, gnu::cold]] static void bad_file(MPI_File handle, const char* name);
  void failed(MPI_Errhandler handler, comm::ErrorHandler::Handles kind, void* null);
  void unlock() noexcept;
  void note(ErrorClass error_class, const char* text);
  void note(const HandlerError& error);
  void note(const HandlerCall& call);
  void note(const ErrorsInStatus& error);
  void note_sentence(ErrorClass error_class, const std::string& sentence);
  std::string sentence(const char* text) const;

  const char* function_;
  comm::Communicator* comm_ = nullptr;  ///< for a window: the communicator that serves it
  bool locked_ = false;
  bool on_file_ = false;
  bool asked_for_ = false;  ///< the program has asked for the call of the handler: nothing has failed
};

}  // namespace bowline::api
