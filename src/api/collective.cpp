// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 6: collective communication.
#include "api/check.hpp"
#include "api/collective_call.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

using coll::Operation;

/// The buffers of a reduction at a rank that gets the result. Returns whether its contribution is in recvbuf already.
bool check_reduction(const void* sendbuf, const void* recvbuf, MPI_Count count, const dtype::Datatype& type) {
  check::buffer(recvbuf, count, type, "recvbuf");
  if (sendbuf == MPI_IN_PLACE) return true;
  check::buffer(sendbuf, count, type, "sendbuf");
  if (sendbuf == recvbuf && count > 0) {
    throw Error(ErrorClass::buffer, "sendbuf and recvbuf are the same memory: give MPI_IN_PLACE as sendbuf instead");
  }
  return false;
}

/// Operand and result at a rank that gets the result.
void fill_reduction(CollectiveCall& call, const void* sendbuf, void* recvbuf, std::size_t count, bool in_place) {
  call.arguments.result = call.reduced(recvbuf, count, in_place);
  call.arguments.input = in_place ? call.arguments.result : call.operand(sendbuf, count);
}

void fill_bcast(CollectiveCall& call, void* buffer, MPI_Count count, const dtype::Datatype& datatype, int root,
                const comm::Communicator& comm) {
  check::buffer(buffer, count, datatype, "buffer");
  const auto elements = static_cast<std::size_t>(count);
  call.arguments.root = root;
  call.arguments.result =
      comm.rank() == root ? call.in_and_out(buffer, elements, datatype) : call.output(buffer, elements, datatype);
}

void fill_reduce(CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
                 const dtype::Datatype& datatype, const dtype::Op& op, int root, const comm::Communicator& comm) {
  const auto elements = static_cast<std::size_t>(count);
  call.arguments.root = root;
  if (comm.rank() == root) {
    const bool in_place = check_reduction(sendbuf, recvbuf, count, datatype);
    call.reduce_with(op, datatype);
    fill_reduction(call, sendbuf, recvbuf, elements, in_place);
  } else {
    check::buffer(sendbuf, count, datatype, "sendbuf");  // MPI_IN_PLACE has a meaning at the root only
    call.reduce_with(op, datatype);
    call.arguments.input = call.operand(sendbuf, elements);
  }
}

void fill_allreduce(CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
                    const dtype::Datatype& datatype, const dtype::Op& op) {
  const bool in_place = check_reduction(sendbuf, recvbuf, count, datatype);
  call.reduce_with(op, datatype);
  fill_reduction(call, sendbuf, recvbuf, static_cast<std::size_t>(count), in_place);
}

}  // namespace

void barrier(comm::Communicator& comm) {
  CollectiveCall(comm.team(), Operation::barrier).run();
}

void bcast(void* buffer, MPI_Count count, const dtype::Datatype& datatype, int root, comm::Communicator& comm) {
  CollectiveCall call(comm.team(), Operation::bcast);
  fill_bcast(call, buffer, count, datatype, root, comm);
  call.run();
}

void reduce(const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype, const dtype::Op& op,
            int root, comm::Communicator& comm) {
  CollectiveCall call(comm.team(), Operation::reduce);
  fill_reduce(call, sendbuf, recvbuf, count, datatype, op, root, comm);
  call.run();
}

void allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype,
               const dtype::Op& op, comm::Communicator& comm) {
  CollectiveCall call(comm.team(), Operation::allreduce);
  fill_allreduce(call, sendbuf, recvbuf, count, datatype, op);
  call.run();
}

}  // namespace bowline::api
