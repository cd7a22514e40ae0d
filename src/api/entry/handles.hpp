// SPDX-License-Identifier: BSD-3-Clause
// Conversion of the user's handles to objects, and back. In the standard ABI predefined handles are small numbers
// (below 0x1000), and all others are addresses that this library has returned.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "api/entry/private_interface.hpp"
#include "comm/communicator.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"
#include "dtype/predefined.hpp"
#include "mpiio/file/file.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"
#include "rma/window.hpp"
#include "runtime/runtime.hpp"

namespace bowline::api {

using runtime::this_process;

/// The value of a handle as a number: small for predefined handles, large for handles of objects.
template <class Handle>
std::uintptr_t handle_value(Handle handle) noexcept {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// Predefined handles are less than this; no object lies below this address.
inline constexpr std::uintptr_t first_object = 0x1000;

// Each returns nullptr if the handle is null, unknown or freed.

inline comm::Communicator* find_comm(MPI_Comm handle) noexcept {
  if (handle == MPI_COMM_WORLD) [[likely]]
    return this_process().world();
  if (handle == MPI_COMM_SELF) return this_process().public_self();
  if (handle_value(handle) < first_object) return nullptr;
  auto* const comm = reinterpret_cast<comm::Communicator*>(handle);
  return comm->alive() ? comm : nullptr;
}

inline MPI_Comm to_handle(comm::Communicator& comm) noexcept {
  if (&comm == this_process().world()) return MPI_COMM_WORLD;
  if (&comm == this_process().public_self()) return MPI_COMM_SELF;
  return reinterpret_cast<MPI_Comm>(&comm);
}

inline rma::Window* find_win(MPI_Win handle) noexcept {
  if (handle_value(handle) < first_object) return nullptr;
  auto* const window = reinterpret_cast<rma::Window*>(handle);
  return window->alive() ? window : nullptr;
}

inline MPI_Win to_handle(rma::Window& window) noexcept {
  return reinterpret_cast<MPI_Win>(&window);
}

const comm::Group* find_group(MPI_Group handle) noexcept;
/// Makes a handle, which the user frees with MPI_Group_free. That of an empty group is MPI_GROUP_EMPTY.
MPI_Group group_handle(comm::Group group);

inline dtype::Datatype* find_datatype(MPI_Datatype handle) noexcept {
  if (handle_value(handle) < first_object) [[likely]]
    return dtype::predefined_datatype(handle_value(handle));
  auto* const type = reinterpret_cast<dtype::Datatype*>(handle);
  return type->alive() ? type : nullptr;
}

/// The handle of a predefined datatype, or of one that the user may free.
MPI_Datatype to_handle(const dtype::Datatype& type) noexcept;

inline const dtype::Op* find_op(MPI_Op handle) noexcept {
  if (handle_value(handle) < first_object) [[likely]]
    return dtype::predefined_op(handle_value(handle));
  auto* const op = reinterpret_cast<const dtype::Op*>(handle);
  return op->alive() ? op : nullptr;
}

inline MPI_Op to_handle(dtype::Op& op) noexcept {
  return reinterpret_cast<MPI_Op>(&op);
}

inline mpiio::File* find_file(MPI_File handle) noexcept {
  if (handle_value(handle) < first_object) return nullptr;
  auto* const file = reinterpret_cast<mpiio::File*>(handle);
  return file->alive() ? file : nullptr;
}

inline MPI_File to_handle(mpiio::File& file) noexcept {
  return reinterpret_cast<MPI_File>(&file);
}

comm::ErrorHandler* find_errhandler(MPI_Errhandler handle) noexcept;
/// Makes a handle, which the user frees with MPI_Errhandler_free.
MPI_Errhandler errhandler_handle(comm::ErrorHandler& handler);

// A request's handle is its address, with its generation in the bits that no address uses: the lowest four and the
// highest eight.
inline constexpr std::uintptr_t address_bits = (~std::uintptr_t{0} >> 8) & ~std::uintptr_t{alignof(proto::Request) - 1};

inline MPI_Request to_handle(proto::Request& request) noexcept {
  const std::uintptr_t generation = request.generation;
  return reinterpret_cast<MPI_Request>(reinterpret_cast<std::uintptr_t>(&request) | (generation & 15) |
                                       (generation >> 4 << 56));
}

/// The request behind a handle that has been checked.
inline proto::Request& checked_request(MPI_Request handle) noexcept {
  return *reinterpret_cast<proto::Request*>(handle_value(handle) & address_bits);
}

[[noreturn, gnu::cold]] void refuse_request(MPI_Request handle, const char* name, int index);

/// The request behind a handle that is not MPI_REQUEST_NULL. Throws Error (request) for a stale or foreign handle. Mark
/// and generation detect a request that was freed or completed before, unless its memory has been reused many times
/// since.
inline proto::Request& request_of(MPI_Request handle, const char* name, int index = -1) {
  if (handle_value(handle) < first_object) [[unlikely]]
    refuse_request(handle, name, index);
  proto::Request& request = checked_request(handle);
  if (request.mark != proto::Request::alive || to_handle(request) != handle) [[unlikely]]
    refuse_request(handle, name, index);
  return request;
}

/// The engine of the lane in which a request completes.
inline proto::Engine& engine_of(const proto::Request& request) noexcept {
  return this_process().lanes().of(request.context);
}

inline constexpr int status_bytes_word = StatusWords::bytes;
inline constexpr int status_cancelled_word = StatusWords::cancelled;

/// Fills the user's status, unless it is MPI_STATUS_IGNORE. Does not write MPI_ERROR, as required of calls with one
/// status.
inline void set_status(MPI_Status* target, const proto::Status& status) noexcept {
  if (target == MPI_STATUS_IGNORE) return;
  target->MPI_SOURCE = status.source;
  target->MPI_TAG = status.tag;
  const auto bytes = static_cast<MPI_Count>(status.bytes);
  std::memcpy(&target->MPI_internal[status_bytes_word], &bytes, sizeof bytes);
  target->MPI_internal[status_cancelled_word] = status.cancelled ? 1 : 0;
}

/// The contents of a user's status.
proto::Status read_status(const MPI_Status& status) noexcept;
/// The status of an operation that did not take place: any source, any tag, no data (MPI-5.0, section 3.7.3).
proto::Status empty_status() noexcept;
/// The status of a receive from MPI_PROC_NULL.
proto::Status no_process_status() noexcept;

/// The number of bytes in a status.
MPI_Count status_bytes(const MPI_Status& status) noexcept;

}  // namespace bowline::api
