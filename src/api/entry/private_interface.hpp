// SPDX-License-Identifier: BSD-3-Clause
// The private interface of libmpi_abi.so, for libraries that are generated for it: bindings for Fortran, foreign ABIs.
// It makes MPI objects whose callbacks have a context, so that such a library needs one C function for all callbacks of
// a kind. It is no part of MPI, and this header is not installed.
//
// The library exports one function for this interface, bowline_private_interface_1, under the symbol version
// BOWLINE_PRIVATE. A library that is linked with this function is not loaded beside the libmpi_abi.so of another MPI.
//
// Compatibility: the table of a version grows at its end only. Any other change gets a new version.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>

namespace bowline {

/// The private words of MPI_Status: indices into MPI_internal.
struct StatusWords {
  static constexpr int bytes = 0;      ///< the number of bytes, an MPI_Count in two words
  static constexpr int cancelled = 2;  ///< whether the operation was cancelled
};

/// What the callbacks of one object share.
struct CallbackContext {
  void* data;  ///< the first argument of every callback
  /// Called once, with `data`, when no callback of the object will be called any more; may be null. Any thread may call
  /// it, in any MPI function. It must not call MPI. Objects that live until the process ends release nothing.
  void (*release)(void* data);
};

/// Each function returns MPI_SUCCESS or an error code, and calls error handlers like the MPI function that it stands
/// for. The function takes the context in any case: if the function fails, it releases the context. A callback must not
/// throw.
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
  /// bytes in `filebuf`. `count` fits an int. Returns an error code. Any thread of the library may call it.
  using ConvertData = int (*)(void* data, void* userbuf, MPI_Datatype datatype, MPI_Count count, void* filebuf,
                              MPI_Offset position);
  /// Stores the bytes that one element of a predefined datatype takes in a file. Returns an error code.
  using GetFileExtent = int (*)(void* data, MPI_Datatype datatype, MPI_Aint* extent);

  /// MPI_Op_create.
  int (*create_op)(Combine combine, CallbackContext context, int commute, MPI_Op* op);
  /// MPI_Comm_create_errhandler and the functions like it. Serves all kinds of objects but datatypes.
  int (*create_errhandler)(ObjectKind kind, HandleError handle, CallbackContext context, MPI_Errhandler* errhandler);
  /// MPI_Comm_create_keyval, MPI_Type_create_keyval and MPI_Win_create_keyval. For communicators, datatypes and
  /// windows. Null callbacks: a duplicate does not get the attribute; nothing is to be done when it is deleted.
  /// MPI_COMM_DUP_FN as `copy`, cast: a duplicate gets the same value.
  int (*create_keyval)(ObjectKind kind, CopyAttribute copy, DeleteAttribute remove, CallbackContext context,
                       int* keyval);
  /// MPI_Grequest_start. `data` is the extra_state of the callbacks; free_fn is the last one.
  int (*start_grequest)(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* data, MPI_Request* request);
  /// Raises an error that the caller has found in an MPI function: the communicator's error handler is called, and
  /// MPI_Error_string(code) gives "FUNCTION: TEXT" in this thread. MPI_COMM_NULL: the error belongs to no communicator.
  /// Returns the code that the function has to return.
  int (*raise_error)(MPI_Comm comm, const char* function, int code, const char* text);
  /// Like raise_error, with a window's error handler. MPI_WIN_NULL: the error belongs to no window.
  int (*raise_window_error)(MPI_Win win, const char* function, int code, const char* text);
  /// MPI_Register_datarep. `read` and `write` may be null: the data are stored as they are in memory.
  int (*register_datarep)(const char* datarep, ConvertData read, ConvertData write, GetFileExtent extent,
                          CallbackContext context);

  // ---- for Fortran

  /// How Fortran sees a value (MPI-5.0, section 19.3.7). C sees a number that Fortran has set as the address of an int
  /// or an MPI_Aint; Fortran sees a pointer that C has set, and the values of predefined attributes, as numbers.
  enum class AttributeForm : int {
    integer = 1,  ///< an INTEGER: functions of MPI-1
    address = 2,  ///< an INTEGER(KIND=MPI_ADDRESS_KIND)
  };
  struct NumberKeyval {
    AttributeForm form;  ///< form of the values that the callbacks get and return, converted to pointers
    bool same;           ///< a duplicate gets the same value, and `copy` is not called
    CopyAttribute copy;  ///< may be null
    DeleteAttribute remove;
  };
  /// Like create_keyval, for callbacks that see numbers.
  int (*create_number_keyval)(ObjectKind kind, NumberKeyval callbacks, CallbackContext context, int* keyval);
  /// MPI_Comm_set_attr and the functions like it. `object`: the object's handle.
  int (*set_number_attribute)(ObjectKind kind, void* object, int keyval, AttributeForm form, MPI_Aint value);
  /// MPI_Comm_get_attr and the functions like it: the value as a number.
  int (*get_number_attribute)(ObjectKind kind, void* object, int keyval, MPI_Aint* value, int* flag);

  /// Called when the duplicate has been made, by any thread that is inside MPI.
  using Deliver = void (*)(void* target, MPI_Comm made);
  /// `function`: MPI_Comm_idup or MPI_Comm_idup_with_info, in whose name errors are raised. Unlike these functions,
  /// this one does not write to `target` itself.
  int (*duplicate_communicator)(MPI_Comm comm, MPI_Info info, const char* function, Deliver deliver, void* target,
                                MPI_Request* request);

  enum class Members : int {
    peers,         ///< the members of the group with which collective operations communicate
    sources,       ///< the neighbours in the communicator's topology from which this process receives
    destinations,  ///< the neighbours to which this process sends
    dimensions,    ///< not members, but the dimensions of its Cartesian topology
  };
  /// Number of members of this kind; -1 if the communicator is invalid or has no such members. Raises no error.
  int (*members)(MPI_Comm comm, Members which) noexcept;

  /// Part of an array, as its descriptor gives it. Each dimension has `extent` elements, `stride` bytes apart. The
  /// first dimension varies fastest; the extent of the last one does not limit accesses.
  struct ArraySection {
    static constexpr int most_dimensions = 15;
    struct Dimension {
      MPI_Aint extent;
      MPI_Aint stride;
    };
    void* base;
    MPI_Aint element_bytes;
    int dimensions;
    Dimension dimension[most_dimensions];
  };
  static constexpr int most_sections = 2;
  /// Makes a datatype by which a function uses the elements of sections as if each section were contiguous (MPI-5.0,
  /// section 19.1.12): with view and addresses[i] instead of `datatype` and the base of section i. Counts and
  /// displacements remain those of `datatype`. The caller releases the view after the function has returned; operations
  /// that are pending keep it. An error code if `datatype` is invalid; raises no error.
  int (*view_sections)(MPI_Datatype datatype, const ArraySection* sections, int count, MPI_Datatype* view,
                       void** addresses) noexcept;
  void (*release_view)(MPI_Datatype view) noexcept;

  /// .FALSE. and .TRUE. of the default LOGICAL: 0 and 1, or what MPI_Abi_set_fortran_booleans has set.
  const std::atomic<int>* logical_values;

  // ---- for other ABIs

  /// The caller's array of statuses in a layout of its own.
  struct StatusArray {
    void* first;         ///< null: the statuses are to be ignored
    std::size_t stride;  ///< bytes from one status to the next
    /// Stores all of a status but MPI_ERROR.
    void (*write)(void* status, const MPI_Status& value);
    /// Stores MPI_ERROR. The library calls this for all statuses if an operation failed, and otherwise for none.
    void (*write_error)(void* status, int code);
  };
  /// MPI's functions of the same names.
  int (*waitall)(int count, MPI_Request* requests, const StatusArray& statuses);
  int (*testall)(int count, MPI_Request* requests, int* flag, const StatusArray& statuses);
  int (*waitsome)(int count, MPI_Request* requests, int* completed, int* indices, const StatusArray& statuses);
  int (*testsome)(int count, MPI_Request* requests, int* completed, int* indices, const StatusArray& statuses);
  int (*request_get_status_all)(int count, const MPI_Request* requests, int* flag, const StatusArray& statuses);
  int (*request_get_status_some)(int count, const MPI_Request* requests, int* completed, int* indices,
                                 const StatusArray& statuses);

  /// Says with which ABI this process uses MPI. Returns what the first call in this process said.
  const char* (*claim)(const char* abi) noexcept;

  /// What MPI_Comm_spawn stores in the array of error codes for a process that was not started: MPI_ERR_SPAWN, or the
  /// number that a library of another ABI has set while it was loaded.
  int* spawn_failure_code;

  // ---- for all of them

  /// MPIX_Comm_ishrink. Does not write to `target` itself.
  int (*shrink_communicator)(MPI_Comm comm, Deliver deliver, void* target, MPI_Request* request);
};

}  // namespace bowline

/// The table of this version; null if the library has another version, or if its table is shorter than `bytes`. The
/// caller gives PrivateInterface::version and sizeof(PrivateInterface).
extern "C" __attribute__((visibility("default"))) const bowline::PrivateInterface* bowline_private_interface_1(
    int version, std::size_t bytes) noexcept;
