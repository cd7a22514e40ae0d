// SPDX-License-Identifier: BSD-3-Clause
// The bodies of sends with BOWLINE_CHECK: like those of send.cpp, but with BOWLINE_CHECK=types the messages say of what
// kind their data are, and with BOWLINE_CHECK=buffering standard sends are synchronous. They are apart so that the
// others need not ask.
#pragma once

#include <mpi.h>

namespace bowline::comm {
class Communicator;
}
namespace bowline::dtype {
class Datatype;
}

namespace bowline::api {

void checked_send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                  comm::Communicator& comm);
void checked_ssend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm);
void checked_rsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm);
void checked_isend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                   comm::Communicator& comm, MPI_Request* request);
void checked_issend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                    comm::Communicator& comm, MPI_Request* request);
void checked_irsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                    comm::Communicator& comm, MPI_Request* request);

// exchange.cpp
void checked_sendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
                      void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
                      comm::Communicator& comm, MPI_Status* status);
void checked_isendrecv(const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype, int dest, int sendtag,
                       void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int source, int recvtag,
                       comm::Communicator& comm, MPI_Request* request);
void checked_sendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag,
                              int source, int recvtag, comm::Communicator& comm, MPI_Status* status);
void checked_isendrecv_replace(void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int sendtag,
                               int source, int recvtag, comm::Communicator& comm, MPI_Request* request);

}  // namespace bowline::api
