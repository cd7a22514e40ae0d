// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 3: point-to-point communication.
#include "api/handles.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

transport::Header envelope(const comm::Communicator& comm, int tag) noexcept {
  return {.context = comm.context(), .source = comm.rank(), .tag = tag};
}

/// The user's buffer; sends only read it.
proto::Buffer view(const void* base, MPI_Count count, const dtype::Datatype& type) noexcept {
  return {static_cast<std::byte*>(const_cast<void*>(base)), static_cast<std::size_t>(count), &type};
}

/// An operation with MPI_PROC_NULL is done at once and moves nothing; of a receive it must also be told from whom.
MPI_Request receive_from_nobody() {
  struct Nobody : proto::Request {
    Nobody() noexcept : Request(Role::receive, 0) {
      done = shared = true;
      status = no_process_status();
    }
  };
  static Nobody request;
  return to_handle(request);
}

}  // namespace

void send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
          comm::Communicator& comm) {
  if (dest == MPI_PROC_NULL) return;
  comm.engine().send(comm.world_rank(dest), envelope(comm, tag), view(buf, count, datatype));
}

void isend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
           comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(dest == MPI_PROC_NULL ? proto::completed_send()
                                             : comm.engine().isend(comm.world_rank(dest), envelope(comm, tag),
                                                                   view(buf, count, datatype)));
}

void recv(void* buf, MPI_Count count, const dtype::Datatype& datatype, int source, int tag, comm::Communicator& comm,
          MPI_Status* status) {
  if (source == MPI_PROC_NULL) return set_status(status, no_process_status());
  set_status(status, comm.engine().receive({comm.context(), source, tag}, view(buf, count, datatype)));
}

void irecv(void* buf, MPI_Count count, const dtype::Datatype& datatype, int source, int tag, comm::Communicator& comm,
           MPI_Request* request) {
  if (source == MPI_PROC_NULL) {
    *request = receive_from_nobody();
  } else {
    *request = to_handle(comm.engine().ireceive({comm.context(), source, tag}, view(buf, count, datatype)));
  }
}

void probe(int source, int tag, comm::Communicator& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) return set_status(status, no_process_status());
  set_status(status, comm.engine().probe({comm.context(), source, tag}));
}

void iprobe(int source, int tag, comm::Communicator& comm, int* flag, MPI_Status* status) {
  proto::Status found = no_process_status();
  *flag = source == MPI_PROC_NULL || comm.engine().iprobe({comm.context(), source, tag}, found);
  if (*flag != 0) set_status(status, found);
}

void sendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
              void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
              comm::Communicator& comm, MPI_Status* status) {
  MPI_Request sending;
  isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sending);
  proto::Request& sent = request_of(sending, "send");
  const auto finish_sending = [&] {
    comm.engine().wait(sent);
    comm.engine().release(sent);
  };
  try {
    recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
  } catch (...) {
    finish_sending();  // a failed receive must not leave a request in the engine that nobody holds
    throw;
  }
  finish_sending();
}

}  // namespace bowline::api
