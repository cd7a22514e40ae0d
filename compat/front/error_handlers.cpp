// SPDX-License-Identifier: BSD-3-Clause
// Error handlers of the user. The user's function is the context of the error handler.
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using bowline::PrivateInterface;

/// Calls the user's function for an object with this kind of handle.
template <class Function, class Standard, class Here, Here (*out)(Standard) noexcept>
void handle(void* function, void* object, int* code) {
  Here here = out(*static_cast<Standard*>(object));
  int code_here = abi::out_error(*code);
  reinterpret_cast<Function*>(function)(&here, &code_here);
  *code = abi::in_error(code_here);
}

int create(PrivateInterface::ObjectKind kind, PrivateInterface::HandleError handle, void* function,
           abi::Errhandler* errhandler) {
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  const int code =
      interface().create_errhandler(kind, function == nullptr ? nullptr : handle, {function, nullptr}, &made);
  if (code == MPI_SUCCESS) *errhandler = abi::out_errhandler(made);
  return out_code(code);
}

}  // namespace

int comm_create_errhandler(abi::Comm_errhandler_function* function, abi::Errhandler* errhandler) {
  return create(PrivateInterface::ObjectKind::communicator,
                handle<abi::Comm_errhandler_function, MPI_Comm, abi::Comm, abi::out_comm>,
                reinterpret_cast<void*>(function), errhandler);
}

int file_create_errhandler(abi::File_errhandler_function* function, abi::Errhandler* errhandler) {
  return create(PrivateInterface::ObjectKind::file,
                handle<abi::File_errhandler_function, MPI_File, abi::File, abi::out_file>,
                reinterpret_cast<void*>(function), errhandler);
}

int session_create_errhandler(abi::Session_errhandler_function* function, abi::Errhandler* errhandler) {
  return create(PrivateInterface::ObjectKind::session,
                handle<abi::Session_errhandler_function, MPI_Session, abi::Session, abi::out_session>,
                reinterpret_cast<void*>(function), errhandler);
}

int win_create_errhandler(abi::Win_errhandler_function* function, abi::Errhandler* errhandler) {
  return create(PrivateInterface::ObjectKind::window,
                handle<abi::Win_errhandler_function, MPI_Win, abi::Win, abi::out_win>,
                reinterpret_cast<void*>(function), errhandler);
}

}  // namespace front
