// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.11: a send and a receive in one call.
#include "proto/exchange.hpp"

#include <cstring>
#include <memory>
#include <utility>

#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/point_to_point/checked_sends.hpp"
#include "api/point_to_point/message.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

/// How a message is addressed. With BOWLINE_CHECK it may say what kind its data are.
using Addressing = transport::Header (*)(const comm::Communicator& comm, int tag, const dtype::Datatype& type);

constexpr Addressing plain = [](const comm::Communicator& comm, int tag, const dtype::Datatype&) {
  return envelope(comm, tag);
};
constexpr Addressing typed = [](const comm::Communicator& comm, int tag, const dtype::Datatype& type) {
  return envelope(comm, tag, type);
};

/// `type`: of the data, which may be packed in the buffer.
template <Addressing address>
proto::Outgoing outgoing(const proto::Buffer& buffer, const dtype::Datatype& type, int dest, int tag,
                         const comm::Communicator& comm) {
  const int to = dest == MPI_PROC_NULL ? proto::no_process : comm.process(dest);
  return {to, address(comm, tag, type), buffer};
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
  const bool pends = !engine.wait_unless_pending(request);
  if (pends) [[unlikely]] {
    proto::withdraw_receive(engine, request);
    engine.wait(request);
  }
  const auto failure = std::move(request.failure);
  const proto::Status ended = request.status;
  const std::uint32_t context = request.context;
  engine.release(request);
  if (failure != nullptr) throw Error(*failure);
  if (pends && ended.cancelled) throw engine.liveness().pending_error(context, ErrorClass::proc_failed);
  set_status(status, ended);
}

template <Addressing address>
proto::Request& begin(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
                      comm::Communicator& comm) {
  return proto::iexchange(comm.engine(),
                          outgoing<address>(view(sendbuf, sendcount, sendtype), sendtype, dest, sendtag, comm),
                          incoming(view(recvbuf, recvcount, recvtype), source, recvtag, comm));
}

template <Addressing address>
proto::Request& begin_replacing(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag,
                                int source, int recvtag, comm::Communicator& comm) {
  const proto::Buffer buffer = view(buf, count, datatype);
  auto copy = copy_of(buffer);
  const proto::Buffer sent{copy.get(), buffer.bytes(), &dtype::byte_type()};
  return proto::iexchange(comm.engine(), outgoing<address>(sent, datatype, dest, sendtag, comm),
                          incoming(buffer, source, recvtag, comm), std::move(copy));
}

}  // namespace

void isendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
               void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
               comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(
      begin<plain>(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm));
  proto::ProgressThread::operation_begun();
}

void isendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag, int source,
                       int recvtag, comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(begin_replacing<plain>(buf, count, datatype, dest, sendtag, source, recvtag, comm));
  proto::ProgressThread::operation_begun();
}

void sendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
              void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
              comm::Communicator& comm, MPI_Status* status) {
  finish(comm.engine(),
         begin<plain>(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm),
         status);
}

void sendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag, int source,
                      int recvtag, comm::Communicator& comm, MPI_Status* status) {
  finish(comm.engine(), begin_replacing<plain>(buf, count, datatype, dest, sendtag, source, recvtag, comm), status);
}

// ---- with BOWLINE_CHECK (checked_sends.hpp)

void checked_isendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
                       void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
                       comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(
      begin<typed>(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm));
  proto::ProgressThread::operation_begun();
}

void checked_isendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag,
                               int source, int recvtag, comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(begin_replacing<typed>(buf, count, datatype, dest, sendtag, source, recvtag, comm));
  proto::ProgressThread::operation_begun();
}

void checked_sendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
                      comm::Communicator& comm, MPI_Status* status) {
  finish(comm.engine(),
         begin<typed>(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm),
         status);
}

void checked_sendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag,
                              int source, int recvtag, comm::Communicator& comm, MPI_Status* status) {
  finish(comm.engine(), begin_replacing<typed>(buf, count, datatype, dest, sendtag, source, recvtag, comm), status);
}

}  // namespace bowline::api
