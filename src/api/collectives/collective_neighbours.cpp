// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 8.6 to 8.9: collective operations among the neighbours in a virtual topology.
#include <span>

#include "api/collectives/collective_blocks.hpp"
#include "api/collectives/collective_request.hpp"
#include "api/entry/validators.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {
namespace {

using coll::Operation;

int count_of(std::span<const int> neighbours) noexcept {
  return static_cast<int>(neighbours.size());
}

void refuse_in_place_here(const void* sendbuf) {
  refuse_in_place(sendbuf, "sendbuf", "in no operation among neighbours");
}

/// Sets the input, which goes to all neighbours.
void fill_input(CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype) {
  refuse_in_place_here(sendbuf);
  check::buffer(sendbuf, sendcount, sendtype, "sendbuf");
  call.arguments.input = call.input(sendbuf, static_cast<std::size_t>(sendcount), sendtype);
}

/// Sets the output: one block of equal length from each neighbour.
void fill_outputs(CollectiveCall& call, void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype,
                  const coll::Neighbours& neighbours) {
  const int sources = count_of(neighbours.sources);
  check_blocks(recvbuf, recvcount, recvtype, sources, "recvbuf");
  call.arguments.receive = call.outputs(recvbuf, static_cast<std::size_t>(recvcount), recvtype, sources);
}

void fill_pieces(CollectiveCall& call, const void* sendbuf, const MemberBlocks& sends, const MemberBlocks& receives) {
  const coll::Neighbours& neighbours = call.meet_neighbours();
  refuse_in_place_here(sendbuf);
  sends.check(count_of(neighbours.destinations), sent_to_each);
  receives.check(count_of(neighbours.sources), received_from_each);
  call.arguments.send = call.inputs(sends, count_of(neighbours.destinations));
  call.arguments.receive = call.outputs(receives, count_of(neighbours.sources));
}

}  // namespace

void neighbor_allgather(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                        void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::neighbor_allgather, [&](CollectiveCall& call) {
    const coll::Neighbours& neighbours = call.meet_neighbours();
    fill_input(call, sendbuf, sendcount, sendtype);
    fill_outputs(call, recvbuf, recvcount, recvtype, neighbours);
  });
}

void neighbor_allgatherv(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                         void* recvbuf, CountArray recvcounts, CountArray displs, const dtype::Datatype& recvtype,
                         comm::Communicator& comm) {
  carry_out(form, comm, Operation::neighbor_allgather, [&](CollectiveCall& call) {
    const int sources = count_of(call.meet_neighbours().sources);
    fill_input(call, sendbuf, sendcount, sendtype);
    const MemberBlocks receives(recvbuf, recvcounts, displs, recvtype);
    receives.check(sources, gathered);
    call.arguments.receive = call.outputs(receives, sources);
  });
}

void neighbor_alltoall(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                       void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::neighbor_alltoall, [&](CollectiveCall& call) {
    const coll::Neighbours& neighbours = call.meet_neighbours();
    const int destinations = count_of(neighbours.destinations);
    refuse_in_place_here(sendbuf);
    check_blocks(sendbuf, sendcount, sendtype, destinations, "sendbuf");
    call.arguments.send = call.inputs(sendbuf, static_cast<std::size_t>(sendcount), sendtype, destinations);
    fill_outputs(call, recvbuf, recvcount, recvtype, neighbours);
  });
}

void neighbor_alltoallv(CollectiveForm form, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
                        const dtype::Datatype& sendtype, void* recvbuf, CountArray recvcounts, CountArray rdispls,
                        const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::neighbor_alltoall, [&](CollectiveCall& call) {
    fill_pieces(call, sendbuf, MemberBlocks(sendbuf, sendcounts, sdispls, sendtype),
                MemberBlocks(recvbuf, recvcounts, rdispls, recvtype));
  });
}

void neighbor_alltoallw(CollectiveForm form, const void* sendbuf, CountArray sendcounts, const MPI_Aint sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, CountArray recvcounts, const MPI_Aint rdispls[],
                        const MPI_Datatype recvtypes[], comm::Communicator& comm) {
  carry_out(form, comm, Operation::neighbor_alltoall, [&](CollectiveCall& call) {
    fill_pieces(call, sendbuf, MemberBlocks(sendbuf, sendcounts, CountArray(sdispls), sendtypes),
                MemberBlocks(recvbuf, recvcounts, CountArray(rdispls), recvtypes));
  });
}

}  // namespace bowline::api
