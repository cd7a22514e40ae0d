// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.11: a send and a receive in one call.
#include "proto/exchange.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/point_to_point/message.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

proto::Outgoing outgoing(const proto::Buffer& buffer, int dest, int tag, const comm::Communicator& comm) {
  const int to = dest == MPI_PROC_NULL ? proto::no_process : comm.process(dest);
  return {to, envelope(comm, tag), buffer};
}

proto::Incoming incoming(const proto::Buffer& buffer, int source, int tag, const comm::Communicator& comm) {
  return {{comm.context(), source, tag}, buffer};
}

/// A copy of the data without holes.
std::unique_ptr<std::byte[]> copy_of(const proto::Buffer& buffer) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(buffer.bytes());
  dtype::pack(*buffer.type, buffer.count, buffer.base, copy.get());
  return copy;
}

/// Waits for an exchange and releases its request. Throws the error with which it failed.
void finish(proto::Engine& engine, proto::Request& request, MPI_Status* status) {
  engine.wait(request);
  const auto failure = std::move(request.failure);
  const proto::Status ended = request.status;
  engine.release(request);
  if (failure != nullptr) throw Error(*failure);
  set_status(status, ended);
}

}  // namespace

void isendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
               void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
               comm::Communicator& comm, MPI_Request* request) {
  *request =
      to_handle(proto::iexchange(comm.engine(), outgoing(view(sendbuf, sendcount, sendtype), dest, sendtag, comm),
                                 incoming(view(recvbuf, recvcount, recvtype), source, recvtag, comm)));
  proto::ProgressThread::operation_begun();
}

void isendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag, int source,
                       int recvtag, comm::Communicator& comm, MPI_Request* request) {
  const proto::Buffer buffer = view(buf, count, datatype);
  auto copy = copy_of(buffer);
  const proto::Buffer sent{copy.get(), buffer.bytes(), &dtype::byte_type()};
  *request = to_handle(proto::iexchange(comm.engine(), outgoing(sent, dest, sendtag, comm),
                                        incoming(buffer, source, recvtag, comm), std::move(copy)));
  proto::ProgressThread::operation_begun();
}

void sendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
              void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
              comm::Communicator& comm, MPI_Status* status) {
  finish(comm.engine(),
         proto::iexchange(comm.engine(), outgoing(view(sendbuf, sendcount, sendtype), dest, sendtag, comm),
                          incoming(view(recvbuf, recvcount, recvtype), source, recvtag, comm)),
         status);
}

void sendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag, int source,
                      int recvtag, comm::Communicator& comm, MPI_Status* status) {
  const proto::Buffer buffer = view(buf, count, datatype);
  auto copy = copy_of(buffer);
  const proto::Buffer sent{copy.get(), buffer.bytes(), &dtype::byte_type()};
  finish(comm.engine(),
         proto::iexchange(comm.engine(), outgoing(sent, dest, sendtag, comm), incoming(buffer, source, recvtag, comm),
                          std::move(copy)),
         status);
}

}  // namespace bowline::api
