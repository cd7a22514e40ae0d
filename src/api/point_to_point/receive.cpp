// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 3.2, 3.7 and 3.8: receives, probes and matched probes.
#include <fmt/format.h>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/message.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

using proto::Unexpected;

MPI_Message to_message(Unexpected& message) noexcept {
  return reinterpret_cast<MPI_Message>(&message);
}

/// The message behind a handle; throws Error (request) if there is none, or it has been received.
Unexpected& message_of(MPI_Message handle) {
  if (handle == MPI_MESSAGE_NULL) {
    throw Error(ErrorClass::request, "message is MPI_MESSAGE_NULL: give a message from MPI_Mprobe or MPI_Improbe");
  }
  if (!is_message(handle)) {
    throw Error(ErrorClass::request,
                fmt::format("message is {}, which is no message: it was never set, or has been received already",
                            fmt::ptr(static_cast<const void*>(handle))));
  }
  return *reinterpret_cast<Unexpected*>(handle);
}

void describe(const Unexpected& message, MPI_Status* status) {
  set_status(status, {.source = message.header.source, .tag = message.header.tag, .bytes = message.bytes});
}

/// Like message_of(), for a function that receives the message: the handle is invalid from then on.
Unexpected& take_message(MPI_Message handle) {
  Unexpected& message = message_of(handle);
  handle_numbers().forget(handle_value(handle));
  return message;
}

}  // namespace

bool is_message(MPI_Message handle) noexcept {
  return handle_value(handle) >= first_object && reinterpret_cast<Unexpected*>(handle)->mark == Unexpected::taken;
}

proto::Request& receive_from_nobody() noexcept {
  struct Nobody : proto::Request {
    Nobody() noexcept : Request(Role::receive, 0, true) {
      shared = true;
      status = no_process_status();
    }
  };
  static Nobody request;
  return request;
}

void recv(void* buf, MPI_Count count, const dtype::Datatype& datatype, int source, int tag, comm::Communicator& comm,
          MPI_Status* status) {
  if (source == MPI_PROC_NULL) return set_status(status, no_process_status());
  set_status(status, comm.engine().receive({comm.context(), source, tag}, view(buf, count, datatype)));
}

void irecv(void* buf, MPI_Count count, const dtype::Datatype& datatype, int source, int tag, comm::Communicator& comm,
           MPI_Request* request) {
  *request = to_handle(source == MPI_PROC_NULL
                           ? receive_from_nobody()
                           : comm.engine().ireceive({comm.context(), source, tag}, view(buf, count, datatype)));
  proto::ProgressThread::operation_begun();
}

// ---- probes

void probe(int source, int tag, comm::Communicator& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) return set_status(status, no_process_status());
  set_status(status, comm.engine().probe({comm.context(), source, tag}));
}

void iprobe(int source, int tag, comm::Communicator& comm, int* flag, MPI_Status* status) {
  proto::Status found = no_process_status();
  *flag = source == MPI_PROC_NULL || comm.engine().iprobe({comm.context(), source, tag}, found);
  if (*flag != 0) set_status(status, found);
}

void mprobe(int source, int tag, comm::Communicator& comm, MPI_Message* message, MPI_Status* status) {
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    return set_status(status, no_process_status());
  }
  Unexpected& found = comm.engine().mprobe({comm.context(), source, tag});
  *message = to_message(found);
  describe(found, status);
}

void improbe(int source, int tag, comm::Communicator& comm, int* flag, MPI_Message* message, MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *message = MPI_MESSAGE_NO_PROC;
    return set_status(status, no_process_status());
  }
  Unexpected* const found = comm.engine().improbe({comm.context(), source, tag});
  *flag = found != nullptr ? 1 : 0;
  *message = found != nullptr ? to_message(*found) : MPI_MESSAGE_NULL;
  if (found != nullptr) describe(*found, status);
}

void mrecv(void* buf, MPI_Count count, const dtype::Datatype& datatype, MPI_Message* message, MPI_Status* status) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *message = MPI_MESSAGE_NULL;
    return set_status(status, no_process_status());
  }
  Unexpected& taken = take_message(*message);
  proto::Engine& engine = this_process().lanes().of(taken.header.context);
  const std::uint32_t context = taken.header.context;
  *message = MPI_MESSAGE_NULL;
  const LockGuard hold(engine.lock());
  try {
    set_status(status, engine.receive(taken, view(buf, count, datatype)));
  } catch (const Error& error) {
    throw CommError(this_process().with_context(context), error.error_class(), error.what());
  }
}

void imrecv(void* buf, MPI_Count count, const dtype::Datatype& datatype, MPI_Message* message, MPI_Request* request) {
  if (*message == MPI_MESSAGE_NO_PROC) {
    *request = to_handle(receive_from_nobody());
  } else {
    Unexpected& taken = take_message(*message);
    proto::Engine& engine = this_process().lanes().of(taken.header.context);
    const LockGuard hold(engine.lock());
    *request = to_handle(engine.ireceive(taken, view(buf, count, datatype)));
    proto::ProgressThread::operation_begun();
  }
  *message = MPI_MESSAGE_NULL;
}

}  // namespace bowline::api
