// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 6.7 and 6.8: the operations in which all processes send to all.
#include "api/collectives/collective_blocks.hpp"
#include "api/collectives/collective_request.hpp"
#include "api/entry/validators.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {
namespace {

using coll::Operation;

/// Sets what a process sends to all others: its own block of the receive buffer with MPI_IN_PLACE.
void fill_given(CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                const Piece& own) {
  const comm::Communicator& comm = call.comm();
  coll::Arguments& arguments = call.arguments;
  refuse_in_place_between_groups(sendbuf, "sendbuf", comm);
  if (sendbuf == MPI_IN_PLACE) {
    arguments.input = call.own(arguments.receive, comm.rank(), own);
    return;
  }
  check::buffer(sendbuf, sendcount, sendtype, "sendbuf");
  arguments.input = call.input(sendbuf, static_cast<std::size_t>(sendcount), sendtype);
  if (!comm.inter()) check_own_block(arguments.input, arguments.receive[comm.rank()], "sendbuf", "recvbuf");
}

void check_own_blocks(const CollectiveCall& call) {
  const comm::Communicator& comm = call.comm();
  if (comm.inter()) return;
  check_own_block(call.arguments.send[comm.rank()], call.arguments.receive[comm.rank()], "sendbuf", "recvbuf");
}

void fill_alltoallv(CollectiveCall& call, const void* sendbuf, const MemberBlocks& sends,
                    const MemberBlocks& receives) {
  const comm::Communicator& comm = call.comm();
  receives.check(comm.peers(), received_from_each);
  call.arguments.receive = call.outputs(receives, comm.peers());
  refuse_in_place_between_groups(sendbuf, "sendbuf", comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.arguments.send = call.copies(receives, comm.peers());
  } else {
    sends.check(comm.peers(), sent_to_each);
    call.arguments.send = call.inputs(sends, comm.peers());
    check_own_blocks(call);
  }
}

}  // namespace

void allgather(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
               void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::allgather, [&](CollectiveCall& call) {
    const auto elements = static_cast<std::size_t>(recvcount);
    check_blocks(recvbuf, recvcount, recvtype, comm.peers(), "recvbuf");
    call.arguments.receive = call.outputs(recvbuf, elements, recvtype, comm.peers());
    const auto before = static_cast<std::uintptr_t>(comm.rank()) * elements;
    const Piece own{reinterpret_cast<std::uintptr_t>(recvbuf) + before * static_cast<std::uintptr_t>(recvtype.extent()),
                    elements, &recvtype};
    fill_given(call, sendbuf, sendcount, sendtype, own);
  });
}

void allgatherv(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                void* recvbuf, CountArray recvcounts, CountArray displs, const dtype::Datatype& recvtype,
                comm::Communicator& comm) {
  carry_out(form, comm, Operation::allgatherv, [&](CollectiveCall& call) {
    const MemberBlocks pieces(recvbuf, recvcounts, displs, recvtype);
    pieces.check(comm.peers(), gathered);
    call.arguments.receive = call.outputs(pieces, comm.peers());
    fill_given(call, sendbuf, sendcount, sendtype, comm.inter() ? Piece{} : pieces[comm.rank()]);
  });
}

void alltoall(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
              void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::alltoall, [&](CollectiveCall& call) {
    const auto elements = static_cast<std::size_t>(recvcount);
    check_blocks(recvbuf, recvcount, recvtype, comm.peers(), "recvbuf");
    call.arguments.receive = call.outputs(recvbuf, elements, recvtype, comm.peers());
    refuse_in_place_between_groups(sendbuf, "sendbuf", comm);
    if (sendbuf == MPI_IN_PLACE) {
      call.arguments.send = call.copies(recvbuf, elements, recvtype, comm.peers());
    } else {
      check_blocks(sendbuf, sendcount, sendtype, comm.peers(), "sendbuf");
      call.arguments.send = call.inputs(sendbuf, static_cast<std::size_t>(sendcount), sendtype, comm.peers());
      check_own_blocks(call);
    }
  });
}

void alltoallv(CollectiveForm form, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
               const dtype::Datatype& sendtype, void* recvbuf, CountArray recvcounts, CountArray rdispls,
               const dtype::Datatype& recvtype, comm::Communicator& comm) {
  carry_out(form, comm, Operation::alltoallv, [&](CollectiveCall& call) {
    fill_alltoallv(call, sendbuf, MemberBlocks(sendbuf, sendcounts, sdispls, sendtype),
                   MemberBlocks(recvbuf, recvcounts, rdispls, recvtype));
  });
}

void alltoallw(CollectiveForm form, const void* sendbuf, CountArray sendcounts, CountArray sdispls,
               const MPI_Datatype sendtypes[], void* recvbuf, CountArray recvcounts, CountArray rdispls,
               const MPI_Datatype recvtypes[], comm::Communicator& comm) {
  carry_out(form, comm, Operation::alltoallv, [&](CollectiveCall& call) {
    fill_alltoallv(call, sendbuf, MemberBlocks(sendbuf, sendcounts, sdispls, sendtypes),
                   MemberBlocks(recvbuf, recvcounts, rdispls, recvtypes));
  });
}

}  // namespace bowline::api
