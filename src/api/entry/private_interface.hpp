// SPDX-License-Identifier: BSD-3-Clause
// The private interface of libmpi_abi.so, for libraries that are generated for it: bindings for Fortran, foreign ABIs.
// It makes MPI objects whose callbacks have a context, so that such a library needs one C function for all callbacks of
// a kind. It is no part of MPI, and this header is not installed.
//
// The library exports one function for it, bowline_private_interface_1, under the symbol version BOWLINE_PRIVATE. A
// library that is linked with it is not loaded beside the libmpi_abi.so of another MPI.
//
// Compatibility: the table of a version grows at its end only. Any other change gets a new version.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace bowline {

/// What the callbacks of one object share.
struct CallbackContext {
  void* data;  ///< the first argument of every callback
  /// Called once, with `data`, when no callback of the object will be called any more; may be null. Any thread may call
  /// it, in any MPI function. It must not call MPI. Objects that live until the process ends release nothing.
  void (*release)(void* data);
};

/// Each function returns MPI_SUCCESS or an error code, and calls error handlers like the MPI function that it stands
/// for. It takes the context in any case: if it fails, it releases it. A callback must not throw.
struct PrivateInterface {
  static constexpr int version = 1;

  enum class ObjectKind : int { communicator, datatype, window, file, session };

  /// inout = in (op) inout for `count` elements of the type. May be called by any thread that is inside MPI.
  using Combine = void (*)(void* data, const void* in, void* inout, MPI_Count count, MPI_Datatype type);
  /// `handle`: the address of the handle of the object on which the error is raised, an MPI_Comm for a communicator.
  /// `code`: the error code, which the callback may change.
  using HandleError = void (*)(void* data, void* handle, int* code);
  /// `object`: the handle of the object that is duplicated. `*wanted` is 0: if the callback sets it to 1, the duplicate
  /// gets `*copy`. Returns an error code.
  using CopyAttribute = int (*)(void* data, void* object, int keyval, void* value, void** copy, int* wanted);
  /// Returns an error code.
  using DeleteAttribute = int (*)(void* data, void* object, int keyval, void* value);
  /// Converts `count` elements of `userbuf`, the first of which is number `position`, to or from their consecutive
  /// bytes in `filebuf`. Returns an error code. Any thread of the library may call it.
  using ConvertData = int (*)(void* data, void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                              MPI_Offset position);
  /// Stores the bytes that one element of a predefined datatype takes in a file. Returns an error code.
  using GetFileExtent = int (*)(void* data, MPI_Datatype datatype, MPI_Aint* extent);

  /// MPI_Op_create.
  int (*create_op)(Combine combine, CallbackContext context, int commute, MPI_Op* op);
  /// MPI_Comm_create_errhandler and the functions like it. For all kinds but datatypes.
  int (*create_errhandler)(ObjectKind kind, HandleError handle, CallbackContext context, MPI_Errhandler* errhandler);
  /// MPI_Comm_create_keyval and MPI_Type_create_keyval. For communicators and datatypes. Null callbacks: a duplicate
  /// does not get the attribute; nothing is to be done when it is deleted.
  int (*create_keyval)(ObjectKind kind, CopyAttribute copy, DeleteAttribute remove, CallbackContext context,
                       int* keyval);
  /// MPI_Grequest_start. `data` is the extra_state of its callbacks; free_fn is the last one.
  int (*start_grequest)(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* data, MPI_Request* request);
  /// Raises an error that the caller has found in an MPI function: the communicator's error handler is called, and
  /// MPI_Error_string(code) gives "FUNCTION: TEXT" in this thread. MPI_COMM_NULL: the error belongs to no communicator.
  /// Returns the code that the function has to return.
  int (*raise_error)(MPI_Comm comm, const char* function, int code, const char* text);
  /// MPI_Register_datarep. `read` and `write` may be null: the data are stored as they are in memory.
  int (*register_datarep)(const char* datarep, ConvertData read, ConvertData write, GetFileExtent extent,
                          CallbackContext context);
};

}  // namespace bowline

/// The table of this version; null if the library has another version, or if its table is shorter than `bytes`. The
/// caller gives PrivateInterface::version and sizeof(PrivateInterface).
extern "C" __attribute__((visibility("default"))) const bowline::PrivateInterface* bowline_private_interface_1(
    int version, std::size_t bytes) noexcept;
