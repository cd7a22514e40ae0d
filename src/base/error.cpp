// SPDX-License-Identifier: BSD-3-Clause
// The general sentence of each error class of MPI-5.0.
#include "base/error.hpp"

#include <array>

namespace bowline {
namespace {

constexpr std::array<const char*, 63> descriptions = {
    "MPI_SUCCESS: no error",
    "MPI_ERR_BUFFER: invalid buffer pointer",
    "MPI_ERR_COUNT: invalid count argument",
    "MPI_ERR_TYPE: invalid or uncommitted datatype",
    "MPI_ERR_TAG: invalid tag",
    "MPI_ERR_COMM: invalid communicator",
    "MPI_ERR_RANK: invalid rank",
    "MPI_ERR_REQUEST: invalid request",
    "MPI_ERR_ROOT: invalid root",
    "MPI_ERR_GROUP: invalid group",
    "MPI_ERR_OP: invalid operator, or one that is not defined on the datatype",
    "MPI_ERR_TOPOLOGY: invalid topology",
    "MPI_ERR_DIMS: invalid dimensions",
    "MPI_ERR_ARG: invalid argument",
    "MPI_ERR_UNKNOWN: unknown error",
    "MPI_ERR_TRUNCATE: the message is longer than the receive buffer",
    "MPI_ERR_OTHER: an error that no other class describes",
    "MPI_ERR_INTERN: an error inside the MPI library",
    "MPI_ERR_PENDING: the operation is neither complete nor failed",
    "MPI_ERR_IN_STATUS: the error code is in the status of each operation",
    "MPI_ERR_ACCESS: permission denied",
    "MPI_ERR_AMODE: invalid access mode",
    "MPI_ERR_ASSERT: invalid assertion",
    "MPI_ERR_BAD_FILE: invalid file name",
    "MPI_ERR_BASE: invalid base address",
    "MPI_ERR_CONVERSION: a data conversion function failed",
    "MPI_ERR_DISP: invalid displacement",
    "MPI_ERR_DUP_DATAREP: the data representation is already defined",
    "MPI_ERR_FILE_EXISTS: the file exists",
    "MPI_ERR_FILE_IN_USE: the file is in use",
    "MPI_ERR_FILE: invalid file handle",
    "MPI_ERR_INFO_KEY: the info key is too long or empty",
    "MPI_ERR_INFO_NOKEY: the info object has no such key",
    "MPI_ERR_INFO_VALUE: the info value is too long or invalid",
    "MPI_ERR_INFO: invalid info object",
    "MPI_ERR_IO: input or output failed",
    "MPI_ERR_KEYVAL: invalid attribute key",
    "MPI_ERR_LOCKTYPE: invalid lock type",
    "MPI_ERR_NAME: the service name is not published",
    "MPI_ERR_NO_MEM: out of memory",
    "MPI_ERR_NOT_SAME: a collective argument differs between processes",
    "MPI_ERR_NO_SPACE: not enough space",
    "MPI_ERR_NO_SUCH_FILE: the file does not exist",
    "MPI_ERR_PORT: invalid port name",
    "MPI_ERR_QUOTA: quota exceeded",
    "MPI_ERR_READ_ONLY: the file or file system is read-only",
    "MPI_ERR_RMA_ATTACH: the memory cannot be attached",
    "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window",
    "MPI_ERR_RMA_RANGE: the target memory is not part of the window",
    "MPI_ERR_RMA_SHARED: the memory cannot be shared",
    "MPI_ERR_RMA_SYNC: wrong synchronization of one-sided calls",
    "MPI_ERR_SERVICE: the service name is not known",
    "MPI_ERR_SIZE: invalid size",
    "MPI_ERR_SPAWN: processes could not be spawned",
    "MPI_ERR_UNSUPPORTED_DATAREP: unsupported data representation",
    "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported",
    "MPI_ERR_WIN: invalid window",
    "MPI_ERR_RMA_FLAVOR: wrong window flavour",
    "MPI_ERR_PROC_ABORTED: a peer process has aborted",
    "MPI_ERR_VALUE_TOO_LARGE: the value does not fit into the argument",
    "MPI_ERR_SESSION: invalid session",
    "MPI_ERR_ERRHANDLER: invalid error handler",
    "MPI_ERR_ABI: the ABI was not set up as requested",
};

/// The sentences of the classes that the standard does not have.
constexpr std::array<const char*, 4> extensions = {
    "MPIX_ERR_TIMEOUT: a call has waited for longer than its communicator allows",
    "MPIX_ERR_PROC_FAILED: a process that the operation needs has failed",
    "MPIX_ERR_PROC_FAILED_PENDING: a process that could have sent the message has failed",
    "MPIX_ERR_REVOKED: the communicator has been revoked",
};
static_assert(static_cast<int>(ErrorClass::first_extension) + static_cast<int>(extensions.size()) ==
              static_cast<int>(ErrorClass::last_extension) + 1);

}  // namespace

const char* describe(ErrorClass error_class) noexcept {
  if (error_class >= ErrorClass::first_extension && error_class <= ErrorClass::last_extension)
    return extensions[static_cast<std::size_t>(error_class) - static_cast<std::size_t>(ErrorClass::first_extension)];
  const auto index = static_cast<std::size_t>(error_class);
  return index < descriptions.size() ? descriptions[index] : nullptr;
}

}  // namespace bowline
