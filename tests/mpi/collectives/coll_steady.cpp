// SPDX-License-Identifier: BSD-3-Clause
// Collective operations that are repeated allocate nothing: blocking, non-blocking and persistent, with data that have
// holes and blocks of different lengths. On one process, because messages that come early are kept in memory of their
// own.
#include <array>

#include "check.hpp"
#include "counted.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int ranks = 1;
constexpr int length = 200;

struct Data {
  std::array<int, 4 * length> in{}, out{};
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  std::array<int, ranks> counts = {length}, displs = {length};
  std::array<MPI_Request, 2> persistent;
};

void nonblocking(Data& d) {
  std::array<MPI_Request, 5> requests;
  MPI_Iallreduce(d.in.data(), d.out.data(), length, MPI_INT, MPI_SUM, world, &requests[0]);
  MPI_Ibcast(d.in.data() + length, 1, d.strided, 0, world, &requests[1]);
  MPI_Igatherv(d.in.data(), d.counts[static_cast<std::size_t>(check::rank)], MPI_INT, d.out.data() + length,
               d.counts.data(), d.displs.data(), MPI_INT, 0, world, &requests[2]);
  MPI_Ibarrier(world, &requests[3]);
  MPI_Iscan(d.in.data(), d.out.data() + 3 * length, length, MPI_INT, MPI_MAX, world, &requests[4]);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
}

void all(Data& d) {
  MPI_Barrier(world);
  MPI_Bcast(d.in.data(), length, MPI_INT, 0, world);
  MPI_Allreduce(d.in.data(), d.out.data(), length, MPI_INT, MPI_SUM, world);
  MPI_Allgatherv(d.in.data(), d.counts[static_cast<std::size_t>(check::rank)], MPI_INT, d.out.data(), d.counts.data(),
                 d.displs.data(), MPI_INT, world);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, d.out.data(), length, MPI_INT, world);
  nonblocking(d);
  MPI_Startall(2, d.persistent.data());
  MPI_Waitall(2, d.persistent.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  CHECK_EQ(check::size, ranks);
  static Data d;
  MPI_Type_vector(length / 2, 1, 2, MPI_INT, &d.strided);
  MPI_Type_commit(&d.strided);
  MPI_Allreduce_init(d.in.data(), d.out.data(), length, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &d.persistent[0]);
  MPI_Alltoall_init(d.in.data(), length, MPI_INT, d.out.data() + 2 * length, length, MPI_INT, world, MPI_INFO_NULL,
                    &d.persistent[1]);
  all(d);  // the pools grow
  {
    const counted::Stretch stretch(false);
    for (int i = 0; i < 100; ++i) all(d);
  }
  CHECK_EQ(counted::allocations, 0);
  for (MPI_Request& request : d.persistent) MPI_Request_free(&request);
  MPI_Type_free(&d.strided);
  return program.finish();
}
