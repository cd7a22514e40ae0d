// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 6: collective communication.
#include <memory>

#include "api/check.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "coll/collectives.hpp"

namespace bowline::api {
namespace {

std::size_t data_bytes(MPI_Count count, const dtype::Datatype& type) {
  return static_cast<std::size_t>(count) * type.size();
}

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

}  // namespace

void barrier(comm::Communicator& comm) {
  coll::barrier(comm.team());
}

void bcast(void* buffer, MPI_Count count, const dtype::Datatype& datatype, int root, comm::Communicator& comm) {
  check::buffer(buffer, count, datatype, "buffer");
  const std::size_t bytes = data_bytes(count, datatype);
  if (bytes == 0) return;
  if (datatype.contiguous())
    return coll::bcast(comm.team(), root, {static_cast<std::byte*>(buffer) + datatype.origin(), bytes});
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (comm.rank() == root) dtype::pack(datatype, static_cast<std::size_t>(count), buffer, packed.get());
  coll::bcast(comm.team(), root, {packed.get(), bytes});
  if (comm.rank() != root) dtype::unpack(datatype, packed.get(), bytes, buffer);
}

void reduce(const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype, const dtype::Op& op,
            int root, comm::Communicator& comm) {
  const coll::Reduction reduction(op, datatype, static_cast<std::size_t>(count));
  const bool at_root = comm.rank() == root;
  bool in_place = false;
  if (at_root) {
    in_place = check_reduction(sendbuf, recvbuf, count, datatype);
  } else {
    check::buffer(sendbuf, count, datatype, "sendbuf");  // MPI_IN_PLACE has a meaning at the root only
  }
  const std::size_t bytes = reduction.bytes();
  if (bytes == 0) return;
  if (at_root && !reduction.packed()) {
    if (!in_place) reduction.take(sendbuf, static_cast<std::byte*>(recvbuf));
    return coll::reduce(comm.team(), root, reduction, {static_cast<std::byte*>(recvbuf), bytes});
  }
  const auto work = std::make_unique_for_overwrite<std::byte[]>(bytes);
  reduction.take(in_place ? recvbuf : sendbuf, work.get());
  coll::reduce(comm.team(), root, reduction, {work.get(), bytes});
  if (at_root) reduction.give(work.get(), recvbuf);
}

void allreduce(const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype,
               const dtype::Op& op, comm::Communicator& comm) {
  const coll::Reduction reduction(op, datatype, static_cast<std::size_t>(count));
  const bool in_place = check_reduction(sendbuf, recvbuf, count, datatype);
  const std::size_t bytes = reduction.bytes();
  if (bytes == 0) return;
  if (!reduction.packed()) {
    if (!in_place) reduction.take(sendbuf, static_cast<std::byte*>(recvbuf));
    return coll::allreduce(comm.team(), reduction, {static_cast<std::byte*>(recvbuf), bytes});
  }
  const auto work = std::make_unique_for_overwrite<std::byte[]>(bytes);
  reduction.take(in_place ? recvbuf : sendbuf, work.get());
  coll::allreduce(comm.team(), reduction, {work.get(), bytes});
  reduction.give(work.get(), recvbuf);
}

}  // namespace bowline::api
