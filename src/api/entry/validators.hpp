// SPDX-License-Identifier: BSD-3-Clause
// The validators of the C entry points, one per kind of argument. Each throws an Error that names the argument, its
// value and what is allowed. The checks are inline, the error messages out of line.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/entry/datatype_handles.hpp"
#include "api/entry/errhandler_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"
#include "rma/window.hpp"
#include "runtime/settings.hpp"

namespace bowline::api::check {

using runtime::strict;

namespace refuse {
[[noreturn, gnu::cold]] void datatype(MPI_Datatype handle, const char* name);
[[noreturn, gnu::cold]] void uncommitted(const dtype::Datatype& datatype, const char* name);
[[noreturn, gnu::cold]] void op(MPI_Op handle, const char* name);
[[noreturn, gnu::cold]] void undefined(const dtype::Op& op, const dtype::Datatype& datatype);
[[noreturn, gnu::cold]] void group(MPI_Group handle, const char* name);
[[noreturn, gnu::cold]] void errhandler(MPI_Errhandler handle, const char* name);
[[noreturn, gnu::cold]] void intercommunicator(const char* name);
[[noreturn, gnu::cold]] void other_kind(const char* object);
[[noreturn, gnu::cold]] void count(MPI_Count value, const char* name);
[[noreturn, gnu::cold]] void less_than(MPI_Count value, MPI_Count least, const char* name);
[[noreturn, gnu::cold]] void rank(int value, const char* name, const comm::Communicator& comm,
                                  const char* also_allowed);
[[noreturn, gnu::cold]] void peer(int value, const char* name, const comm::Communicator& comm,
                                  const char* also_allowed);
[[noreturn, gnu::cold]] void root(int value, const char* name, const comm::Communicator& comm);
[[noreturn, gnu::cold]] void target(int value, const char* name, const rma::Window& window);
[[noreturn, gnu::cold]] void displacement(MPI_Aint value, const char* name);
[[noreturn, gnu::cold]] void tag(int value, const char* name, const char* also_allowed);
void buffer(const void* buffer, const dtype::Datatype& datatype, const char* name);
[[gnu::cold]] const dtype::Datatype& datatype_of_data(MPI_Count count, MPI_Datatype handle, const char* name);
[[noreturn, gnu::cold]] void too_long(MPI_Count count, const dtype::Datatype& datatype);
[[noreturn, gnu::cold]] void pointer(const char* name);
}  // namespace refuse

inline dtype::Datatype& datatype(MPI_Datatype handle, const char* name) {
  dtype::Datatype* found = find_datatype(handle);
  if (found == nullptr) [[unlikely]]
    refuse::datatype(handle, name);
  return *found;
}

/// A committed datatype, for communication.
inline const dtype::Datatype& committed(MPI_Datatype handle, const char* name) {
  const dtype::Datatype& found = datatype(handle, name);
  if (!found.committed()) [[unlikely]]
    refuse::uncommitted(found, name);
  return found;
}

/// A committed datatype for `count` elements. Without elements MPI_DATATYPE_NULL is allowed, too, and stands for
/// MPI_BYTE.
inline const dtype::Datatype& committed_for(MPI_Count count, MPI_Datatype handle, const char* name) {
  const dtype::Datatype* found = find_datatype(handle);
  if (found == nullptr) [[unlikely]]
    return refuse::datatype_of_data(count, handle, name);
  if (!found->committed()) [[unlikely]]
    refuse::uncommitted(*found, name);
  return *found;
}

/// A datatype argument that MPI ignores unless `significant`: then any value is allowed, and the body gets MPI_BYTE.
inline const dtype::Datatype& committed_if(bool significant, MPI_Datatype handle, const char* name) {
  return committed(significant ? handle : MPI_BYTE, name);
}

inline const dtype::Op& op(MPI_Op handle, const char* name) {
  const dtype::Op* found = find_op(handle);
  if (found == nullptr) [[unlikely]]
    refuse::op(handle, name);
  return *found;
}

/// Checks that the operator is defined for the datatype: by the standard or, unless strict(), as an extension.
inline void defined(const dtype::Op& op, const dtype::Datatype& datatype) {
  if (!op.supports(datatype)) [[unlikely]]
    refuse::undefined(op, datatype);
}

inline const comm::Group& group(MPI_Group handle, const char* name) {
  const comm::Group* found = find_group(handle);
  if (found == nullptr) [[unlikely]]
    refuse::group(handle, name);
  return *found;
}

inline comm::ErrorHandler& errhandler(MPI_Errhandler handle, const char* name) {
  comm::ErrorHandler* found = find_errhandler(handle);
  if (found == nullptr) [[unlikely]]
    refuse::errhandler(handle, name);
  return *found;
}

/// Checks that the error handler is for this kind of object.
inline void fits(const comm::ErrorHandler& handler, comm::ErrorHandler::Handles kind, const char* object) {
  if (!handler.fits(kind)) [[unlikely]]
    refuse::other_kind(object);
}

/// A number of elements.
inline void count(MPI_Count value, const char* name) {
  if (value < 0) [[unlikely]]
    refuse::count(value, name);
}

/// A length or a size that is not a number of elements.
inline void non_negative(MPI_Count value, const char* name) {
  if (value < 0) [[unlikely]]
    refuse::less_than(value, 0, name);
}

inline void positive(MPI_Count value, const char* name) {
  if (value < 1) [[unlikely]]
    refuse::less_than(value, 1, name);
}

/// An intracommunicator.
inline void intra(const comm::Communicator& comm, const char* name) {
  if (comm.inter()) [[unlikely]]
    refuse::intercommunicator(name);
}

inline bool is_member(int rank, const comm::Communicator& comm) noexcept {
  return static_cast<unsigned>(rank) < static_cast<unsigned>(comm.peers());
}

inline void rank(int value, const char* name, const comm::Communicator& comm) {
  if (!is_member(value, comm)) [[unlikely]]
    refuse::rank(value, name, comm, "");
}

/// A receiver. No rank of an interrupted communicator is one, and not MPI_PROC_NULL either.
inline void dest(int value, const char* name, const comm::Communicator& comm) {
  if (!comm.is_peer(value)) [[unlikely]] {
    if (value != MPI_PROC_NULL) refuse::peer(value, name, comm, ", or MPI_PROC_NULL");
    comm.refuse_if_interrupted();
  }
}

/// A sender.
inline void source(int value, const char* name, const comm::Communicator& comm) {
  if (!comm.is_peer(value) && value != MPI_ANY_SOURCE) [[unlikely]] {
    if (value != MPI_PROC_NULL) refuse::peer(value, name, comm, ", MPI_ANY_SOURCE or MPI_PROC_NULL");
    comm.refuse_if_interrupted();
  }
}

/// The root of a collective. On an intercommunicator the root passes MPI_ROOT, and the other processes of its group
/// pass MPI_PROC_NULL.
inline void root(int value, const char* name, const comm::Communicator& comm) {
  if (!is_member(value, comm) && !(comm.inter() && (value == MPI_ROOT || value == MPI_PROC_NULL))) [[unlikely]]
    refuse::root(value, name, comm);
}

/// Whether the arguments that are significant only at the root are significant here.
inline bool is_root(int root, const comm::Communicator& comm) noexcept {
  return root == (comm.inter() ? MPI_ROOT : comm.rank());
}
/// Whether the arguments that describe the data exchanged with the root are significant here.
inline bool is_leaf(int root, const comm::Communicator& comm) noexcept {
  return root >= 0 || !comm.inter();
}

/// The target of a one-sided operation.
inline void target(int value, const char* name, const rma::Window& window) {
  if (static_cast<unsigned>(value) >= static_cast<unsigned>(window.size()) && value != MPI_PROC_NULL) [[unlikely]]
    refuse::target(value, name, window);
}

/// A displacement in a target's memory.
inline void displacement(MPI_Aint value, const char* name) {
  if (value < 0) [[unlikely]]
    refuse::displacement(value, name);
}

inline void tag(int value, const char* name) {
  if (value < 0) [[unlikely]]
    refuse::tag(value, name, "");
}

inline void receive_tag(int value, const char* name) {
  if (value < 0 && value != MPI_ANY_TAG) [[unlikely]]
    refuse::tag(value, name, ", or MPI_ANY_TAG");
}

/// The user's buffer in a send or a receive. MPI's special addresses are small numbers. One of them, MPI_BOTTOM, is
/// allowed with datatypes that contain absolute addresses. The number of bytes must fit 63 bits.
inline void buffer(const void* address, MPI_Count count, const dtype::Datatype& datatype, const char* name) {
  constexpr std::uintptr_t last_special = 2;  // MPI_BUFFER_AUTOMATIC
  if (reinterpret_cast<std::uintptr_t>(address) <= last_special && count > 0 && datatype.size() > 0) [[unlikely]] {
    refuse::buffer(address, datatype, name);
  }
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<MPI_Count>(datatype.size()), &bytes)) [[unlikely]]
    refuse::too_long(count, datatype);
}

/// The address of a result.
template <class T>
void pointer(T* address, const char* name) {
  if (address == nullptr) [[unlikely]]
    refuse::pointer(name);
}

template <class T>
void array(T* address, MPI_Count length, const char* name) {
  if (address == nullptr && length > 0) [[unlikely]]
    refuse::pointer(name);
}

}  // namespace bowline::api::check
