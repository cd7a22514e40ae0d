// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 9.3 to 9.5: error handlers, classes, codes and strings.
#include "api/environment/errors.hpp"

#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "api/entry/errhandler_handles.hpp"
#include "api/entry/file_handles.hpp"
#include "api/entry/handle_table.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/this_process.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "base/error_codes.hpp"
#include "base/error_sentences.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {
namespace {

using Handles = comm::ErrorHandler::Handles;

HandleTable<comm::ErrorHandler>& handlers() {
  static auto* const table = new HandleTable<comm::ErrorHandler>;  // not destroyed by exit(): errors may still occur
  return *table;
}

/// Makes a handler whose context is the user's C function.
template <class Handle, class Function>
MPI_Errhandler make_handler(Handles kind, Function* function) {
  const auto call = [](void* context, void* handle, int* code) {
    reinterpret_cast<Function*>(context)(static_cast<Handle*>(handle), code);
  };
  return handlers().add<MPI_Errhandler>(
      std::make_shared<comm::ErrorHandler>(kind, call, reinterpret_cast<void*>(function)));
}

/// The file behind a handle that may be MPI_FILE_NULL; nullptr for MPI_FILE_NULL.
mpiio::File* file_or_null(MPI_File handle, const char* name) {
  mpiio::File* const found = find_file(handle);
  if (found != nullptr || handle == MPI_FILE_NULL) return found;
  throw Error(ErrorClass::file,
              fmt::format("{} is no open file: it was closed, never set, or is another kind of handle", name));
}

[[noreturn]] void refuse_code(int code) {
  throw Error(ErrorClass::arg,
              fmt::format("errorcode is {}, but error codes are 0 to {} and what the program has added", code,
                          static_cast<int>(ErrorClass::last_predefined)));
}

/// The error message of the thread's last failed call if that call raised this code; otherwise the general text of the
/// code. Codes that the program has added have only the program's text.
std::optional<std::string> text_of(int code) {
  const std::string* const said = code <= ErrorCodes::last_predefined ? sentence_of(code) : nullptr;
  return said != nullptr ? cut_text(*said, MPI_MAX_ERROR_STRING - 1) : error_codes().string_of(code);
}

}  // namespace

std::string called_text(const char* function, int code) {
  return fmt::format("{} was called with the error code {}: {}", function, code,
                     text_of(code).value_or("which is none of MPI or this program"));
}

comm::ErrorHandler* find_errhandler(MPI_Errhandler handle) noexcept {
  if (handle == MPI_ERRORS_ARE_FATAL) return &comm::ErrorHandler::are_fatal();
  if (handle == MPI_ERRORS_ABORT) return &comm::ErrorHandler::abort();
  if (handle == MPI_ERRORS_RETURN) return &comm::ErrorHandler::to_return();
  return handlers().find(handle).get();  // the table keeps the handler until the user frees it
}

MPI_Errhandler errhandler_handle(comm::ErrorHandler& handler) {
  switch (handler.action()) {
    case comm::ErrorHandler::Action::end_job:
      return MPI_ERRORS_ARE_FATAL;
    case comm::ErrorHandler::Action::end_comm:
      return MPI_ERRORS_ABORT;
    case comm::ErrorHandler::Action::to_caller:
      return MPI_ERRORS_RETURN;
    case comm::ErrorHandler::Action::call_user:
      return handlers().add<MPI_Errhandler>(handler.share());
  }
  return MPI_ERRHANDLER_NULL;
}

comm::AttachedHandler& default_file_handler() {
  static auto* const handler = new comm::AttachedHandler(comm::ErrorHandler::to_return());  // not destroyed by exit()
  return *handler;
}

void comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn, MPI_Errhandler* errhandler) {
  *errhandler = make_handler<MPI_Comm>(Handles::communicator, comm_errhandler_fn);
}

void win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  *errhandler = make_handler<MPI_Win>(Handles::window, win_errhandler_fn);
}

void file_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn, MPI_Errhandler* errhandler) {
  *errhandler = make_handler<MPI_File>(Handles::file, file_errhandler_fn);
}

void session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  *errhandler = make_handler<MPI_Session>(Handles::session, session_errhandler_fn);
}

void comm_set_errhandler(comm::Communicator& comm, comm::ErrorHandler& errhandler) {
  check::fits(errhandler, Handles::communicator, "a communicator");
  comm.choose_error_handler(errhandler);
  this_process().handler_chosen(comm);
}

void comm_get_errhandler(comm::Communicator& comm, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_handle(*comm.error_handler());
}

void comm_call_errhandler(comm::Communicator& comm, int errorcode) {
  throw call_of_handler(comm, errorcode, called_text("MPI_Comm_call_errhandler", errorcode));
}

void file_set_errhandler(MPI_File file, comm::ErrorHandler& errhandler) {
  check::fits(errhandler, Handles::file, "a file");
  if (mpiio::File* const opened = file_or_null(file, "file")) return opened->comm().set_error_handler(errhandler);
  default_file_handler().set(errhandler);
}

void file_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  mpiio::File* const opened = file_or_null(file, "file");
  *errhandler = errhandler_handle(opened != nullptr ? *opened->comm().error_handler() : *default_file_handler().get());
}

void file_call_errhandler(MPI_File fh, int errorcode) {
  mpiio::File* const opened = file_or_null(fh, "fh");
  std::string text = called_text("MPI_File_call_errhandler", errorcode);
  if (opened != nullptr) throw call_of_handler(opened->comm(), errorcode, std::move(text));
  throw HandlerCall(default_file_handler().get(), fh, static_cast<ErrorClass>(errorcode), std::move(text));
}

void errhandler_free(MPI_Errhandler* errhandler) {
  if (find_errhandler(*errhandler) == nullptr) {
    throw Error(ErrorClass::errhandler, "errhandler is no error handler: it was freed already, or never set");
  }
  handlers().remove(*errhandler);  // a predefined handler stays; a handle from MPI_Comm_get_errhandler is freed
  *errhandler = MPI_ERRHANDLER_NULL;
}

void error_class(int errorcode, int* errorclass) {
  const auto found = error_codes().class_of(errorcode);
  if (!found) refuse_code(errorcode);
  *errorclass = *found;
}

void error_string(int errorcode, char* string, int* resultlen) {
  const auto text = text_of(errorcode);
  if (!text) refuse_code(errorcode);
  std::memcpy(string, text->c_str(), text->size() + 1);
  *resultlen = static_cast<int>(text->size());
}

void add_error_class(int* errorclass) {
  *errorclass = error_codes().add_class();
}

void add_error_code(int errorclass, int* errorcode) {
  *errorcode = error_codes().add_code(errorclass);
}

void add_error_string(int errorcode, const char* string) {
  if (const std::size_t length = std::strlen(string); length >= MPI_MAX_ERROR_STRING) {
    throw Error(ErrorClass::arg, fmt::format("string has {} characters, but an error string has up to {} "
                                             "(MPI_MAX_ERROR_STRING - 1)",
                                             length, MPI_MAX_ERROR_STRING - 1));
  }
  error_codes().set_string(errorcode, string);
}

void remove_error_class(int errorclass) {
  error_codes().remove_class(errorclass);
}

void remove_error_code(int errorcode) {
  error_codes().remove_code(errorcode);
}

void remove_error_string(int errorcode) {
  error_codes().remove_string(errorcode);
}

}  // namespace bowline::api
