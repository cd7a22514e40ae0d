// SPDX-License-Identifier: BSD-3-Clause
#include "api/point_to_point/checked_sends.hpp"

#include "api/entry/request_handles.hpp"
#include "api/point_to_point/message.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "proto/engine.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

using proto::Mode;

void send_in_mode(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                  comm::Communicator& comm, Mode mode) {
  if (dest == MPI_PROC_NULL) return;
  comm.engine().send(comm.process(dest), envelope(comm, tag, datatype), view(buf, count, datatype), mode);
}

MPI_Request begin_in_mode(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                          comm::Communicator& comm, Mode mode) {
  if (dest == MPI_PROC_NULL) return to_handle(send_to_nobody());
  proto::Request& begun =
      comm.engine().isend(comm.process(dest), envelope(comm, tag, datatype), view(buf, count, datatype), mode);
  proto::ProgressThread::operation_begun();
  return to_handle(begun);
}

}  // namespace

void checked_send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                  comm::Communicator& comm) {
  send_in_mode(buf, count, datatype, dest, tag, comm, standard_mode());
}

void checked_ssend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm) {
  send_in_mode(buf, count, datatype, dest, tag, comm, Mode::synchronous);
}

void checked_rsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm) {
  send_in_mode(buf, count, datatype, dest, tag, comm, Mode::standard);
}

void checked_isend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm, MPI_Request* request) {
  *request = begin_in_mode(buf, count, datatype, dest, tag, comm, standard_mode());
}

void checked_issend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                    comm::Communicator& comm, MPI_Request* request) {
  *request = begin_in_mode(buf, count, datatype, dest, tag, comm, Mode::synchronous);
}

void checked_irsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                    comm::Communicator& comm, MPI_Request* request) {
  *request = begin_in_mode(buf, count, datatype, dest, tag, comm, Mode::standard);
}

}  // namespace bowline::api
