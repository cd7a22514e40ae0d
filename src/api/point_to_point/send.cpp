// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 3.2, 3.4 and 3.7: sends, blocking and non-blocking, in all modes.
#include "api/entry/request_handles.hpp"
#include "api/point_to_point/message.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "proto/engine.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

using proto::Mode;

MPI_Request begin_send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                       comm::Communicator& comm, Mode mode) {
  if (dest == MPI_PROC_NULL) return to_handle(send_to_nobody());
  proto::Request& begun =
      comm.engine().isend(comm.process(dest), envelope(comm, tag), view(buf, count, datatype), mode);
  if (!begun.shared) proto::ProgressThread::operation_begun();
  return to_handle(begun);
}

}  // namespace

proto::Request& send_to_nobody() noexcept {
  return proto::completed_request();
}

void send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
          comm::Communicator& comm) {
  if (dest == MPI_PROC_NULL) return;
  comm.engine().send(comm.process(dest), envelope(comm, tag), view(buf, count, datatype));
}

void ssend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
           comm::Communicator& comm) {
  if (dest == MPI_PROC_NULL) return;
  comm.engine().send(comm.process(dest), envelope(comm, tag), view(buf, count, datatype), Mode::synchronous);
}

// A ready send may do the same as a standard one (MPI-5.0, section 3.4). In Bowline a ready send would gain nothing
// from the posted receive.
void rsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
           comm::Communicator& comm) {
  send(buf, count, datatype, dest, tag, comm);
}

void isend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
           comm::Communicator& comm, MPI_Request* request) {
  *request = begin_send(buf, count, datatype, dest, tag, comm, Mode::standard);
}

void issend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
            comm::Communicator& comm, MPI_Request* request) {
  *request = begin_send(buf, count, datatype, dest, tag, comm, Mode::synchronous);
}

void irsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
            comm::Communicator& comm, MPI_Request* request) {
  *request = begin_send(buf, count, datatype, dest, tag, comm, Mode::standard);
}

}  // namespace bowline::api
