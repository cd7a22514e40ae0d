// SPDX-License-Identifier: BSD-3-Clause
// From the user's handles to objects. In the standard ABI predefined handles are small numbers (below 0x1000) and all
// others are addresses that this library gave out.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/runtime.hpp"
#include "comm/communicator.hpp"
#include "comm/errhandler.hpp"
#include "dtype/predefined.hpp"
#include "proto/request.hpp"

namespace bowline::api {

/// The number behind a predefined handle; handles of objects give large numbers.
template <class Handle>
std::uintptr_t handle_value(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

// Each returns nullptr if the handle is null, unknown or freed.

inline comm::Communicator* find_comm(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) [[likely]]
    return &runtime().world();
  return handle == MPI_COMM_SELF ? &runtime().self() : nullptr;
}

inline const dtype::Datatype* find_datatype(MPI_Datatype handle) noexcept {
  return dtype::predefined_datatype(handle_value(handle));
}

inline const dtype::Op* find_op(MPI_Op handle) noexcept {
  return dtype::predefined_op(handle_value(handle));
}

inline comm::ErrorHandler* find_errhandler(MPI_Errhandler handle) noexcept {
  if (handle == MPI_ERRORS_ARE_FATAL) return &comm::ErrorHandler::are_fatal();
  if (handle == MPI_ERRORS_ABORT) return &comm::ErrorHandler::abort();
  return handle == MPI_ERRORS_RETURN ? &comm::ErrorHandler::to_return() : nullptr;
}

inline MPI_Request to_handle(proto::Request& request) noexcept {
  return reinterpret_cast<MPI_Request>(&request);
}

/// The request behind a handle that is not MPI_REQUEST_NULL; throws Error (request) for a stale or foreign handle.
proto::Request& request_of(MPI_Request handle, const char* name, int index = -1);

/// Fills the user's status, unless it is MPI_STATUS_IGNORE. Leaves MPI_ERROR alone, as calls with one status must.
void set_status(MPI_Status* target, const proto::Status& status) noexcept;

/// The status of an operation that did not take place: any source, any tag, no data (MPI-5.0, section 3.7.3).
proto::Status empty_status() noexcept;
/// The status of a receive from MPI_PROC_NULL.
proto::Status no_process_status() noexcept;

/// Number of bytes that a status tells of.
MPI_Count status_bytes(const MPI_Status& status) noexcept;

}  // namespace bowline::api
