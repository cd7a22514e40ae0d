// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 20.4: conversion of handles to integers and back, at any time. The integer of a predefined handle is
// its ABI value. An integer that stands for no handle converts to an invalid handle, which every function refuses. An
// invalid handle converts to an integer that stands for no handle.
#include <cstdint>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/errhandler_handles.hpp"
#include "api/entry/file_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/window_handles.hpp"
#include "api/environment/info_handles.hpp"
#include "api/environment/sessions.hpp"
#include "api/point_to_point/message.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

enum class Numbered : std::uint8_t {
  comm = 1,
  group,
  type,
  op,
  errhandler,
  info,
  request,
  message,
  session,
  win,
  file
};

constexpr int no_number = -1;
constexpr std::uintptr_t no_handle = first_object - 1;  // no predefined handle has this value

static_assert(first_object == static_cast<std::uintptr_t>(HandleNumbers::first));

template <class Handle>
bool is_predefined_handle(Handle handle) noexcept {
  return handle_value(handle) < first_object;
}

/// `object`: the address behind a handle that is not predefined; 0 if the handle is invalid.
template <class Handle>
int to_number(Handle handle, std::uintptr_t object, Numbered kind) {
  if (is_predefined_handle(handle)) return static_cast<int>(handle_value(handle));
  return object == 0 ? no_number : handle_numbers().number_of(object, handle_value(handle), static_cast<int>(kind));
}

/// Like to_number(), for handles that are the address of their object. Calls `exists` only if the handle is not
/// predefined.
template <class Handle, class Exists>
int to_number_if(Handle handle, Numbered kind, Exists exists) {
  return to_number(handle, !is_predefined_handle(handle) && exists() ? handle_value(handle) : 0, kind);
}

template <class Handle>
Handle from_number(int number, Numbered kind) {
  std::uintptr_t value = no_handle;
  if (number >= 0 && number < HandleNumbers::first) {
    value = static_cast<std::uintptr_t>(number);
  } else {
    value = handle_numbers().handle_of(number, static_cast<int>(kind)).value_or(no_handle);
  }
  return reinterpret_cast<Handle>(value);
}

/// The address of the request behind a handle, which contains a generation as well; 0 if the handle is predefined or
/// invalid.
std::uintptr_t request_behind(MPI_Request handle) noexcept {
  if (is_predefined_handle(handle)) return 0;
  const proto::Request& request = checked_request(handle);
  const bool alive = request.mark == proto::Request::alive && to_handle(checked_request(handle)) == handle;
  return alive ? reinterpret_cast<std::uintptr_t>(&request) : 0;
}

}  // namespace

int comm_toint(MPI_Comm comm) {
  return to_number_if(comm, Numbered::comm, [=] { return find_comm(comm) != nullptr; });
}
MPI_Comm comm_fromint(int comm) {
  return from_number<MPI_Comm>(comm, Numbered::comm);
}

int group_toint(MPI_Group group) {
  return to_number_if(group, Numbered::group, [=] { return find_group(group) != nullptr; });
}
MPI_Group group_fromint(int group) {
  return from_number<MPI_Group>(group, Numbered::group);
}

int type_toint(MPI_Datatype datatype) {
  return to_number_if(datatype, Numbered::type, [=] { return find_datatype(datatype) != nullptr; });
}
MPI_Datatype type_fromint(int datatype) {
  return from_number<MPI_Datatype>(datatype, Numbered::type);
}

int op_toint(MPI_Op op) {
  return to_number_if(op, Numbered::op, [=] { return find_op(op) != nullptr; });
}
MPI_Op op_fromint(int op) {
  return from_number<MPI_Op>(op, Numbered::op);
}

int errhandler_toint(MPI_Errhandler errhandler) {
  return to_number_if(errhandler, Numbered::errhandler, [=] { return find_errhandler(errhandler) != nullptr; });
}
MPI_Errhandler errhandler_fromint(int errhandler) {
  return from_number<MPI_Errhandler>(errhandler, Numbered::errhandler);
}

int info_toint(MPI_Info info) {
  return to_number_if(info, Numbered::info, [=] { return is_info(info); });
}
MPI_Info info_fromint(int info) {
  return from_number<MPI_Info>(info, Numbered::info);
}

int request_toint(MPI_Request request) {
  return to_number(request, request_behind(request), Numbered::request);
}
MPI_Request request_fromint(int request) {
  return from_number<MPI_Request>(request, Numbered::request);
}

int message_toint(MPI_Message message) {
  return to_number_if(message, Numbered::message, [=] { return is_message(message); });
}
MPI_Message message_fromint(int message) {
  return from_number<MPI_Message>(message, Numbered::message);
}

int session_toint(MPI_Session session) {
  return to_number_if(session, Numbered::session, [=] { return is_session(session); });
}
MPI_Session session_fromint(int session) {
  return from_number<MPI_Session>(session, Numbered::session);
}

int win_toint(MPI_Win win) {
  return to_number_if(win, Numbered::win, [=] { return find_win(win) != nullptr; });
}
MPI_Win win_fromint(int win) {
  return from_number<MPI_Win>(win, Numbered::win);
}

int file_toint(MPI_File file) {
  return to_number_if(file, Numbered::file, [=] { return find_file(file) != nullptr; });
}
MPI_File file_fromint(int file) {
  return from_number<MPI_File>(file, Numbered::file);
}

}  // namespace bowline::api
