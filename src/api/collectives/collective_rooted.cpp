// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 6.3 to 6.6: barrier, and the operations in which one process sends to all or receives from all.
#include "api/collectives/collective_blocks.hpp"
#include "api/collectives/collective_request.hpp"
#include "api/entry/validators.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {
namespace {

using coll::Operation;

constexpr const char* at_root_only = "at the root of an intracommunicator only";

/// Sets what a process sends to the root: at the root with MPI_IN_PLACE, its own block of the receive buffer.
void fill_gathered(CollectiveCall& call, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
                   bool at_root, const Piece& own) {
  const comm::Communicator& comm = call.comm();
  coll::Arguments& arguments = call.arguments;
  if (at_root && sendbuf == MPI_IN_PLACE && !comm.inter()) {
    arguments.input = call.own(arguments.receive, comm.rank(), own);
    return;
  }
  refuse_in_place(sendbuf, "sendbuf", at_root_only);
  check::buffer(sendbuf, sendcount, sendtype, "sendbuf");
  arguments.input = call.input(sendbuf, static_cast<std::size_t>(sendcount), sendtype);
  if (at_root) check_own_block(arguments.input, arguments.receive[comm.rank()], "sendbuf", "recvbuf");
}

/// Sets what a process receives from the root.
void fill_scattered(CollectiveCall& call, void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype,
                    bool at_root) {
  const comm::Communicator& comm = call.comm();
  coll::Arguments& arguments = call.arguments;
  if (at_root && recvbuf == MPI_IN_PLACE && !comm.inter()) {
    arguments.result = arguments.send[comm.rank()];
    return;
  }
  refuse_in_place(recvbuf, "recvbuf", at_root_only);
  check::buffer(recvbuf, recvcount, recvtype, "recvbuf");
  arguments.result = call.output(recvbuf, static_cast<std::size_t>(recvcount), recvtype);
  if (at_root) check_own_block(arguments.send[comm.rank()], arguments.result, "sendbuf", "recvbuf");
}

/// Whether this process contributes a block. On an intercommunicator only the processes of the group without the root
/// contribute.
bool has_own_block(int root, const comm::Communicator& comm) noexcept {
  return check::is_leaf(root, comm);
}

}  // namespace

void barrier(CollectiveForm form, comm::Communicator& comm) {
  carry_out(form, comm, Operation::barrier, [](CollectiveCall&) {});
}

void bcast(CollectiveForm form, void* buffer, MPI_Count count, const dtype::Datatype& datatype, int root,
           comm::Communicator& comm) {
  carry_out(form, comm, Operation::bcast, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    if (call.arguments.root < 0) return;
    check::buffer(buffer, count, datatype, "buffer");
    const auto elements = static_cast<std::size_t>(count);
    call.arguments.result = check::is_root(root, comm) ? call.in_and_out(buffer, elements, datatype)
                                                       : call.output(buffer, elements, datatype);
  });
}

void gather(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
            void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int root, comm::Communicator& comm) {
  carry_out(form, comm, Operation::gather, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    const bool at_root = check::is_root(root, comm);
    Piece own{};
    if (at_root) {
      const auto elements = static_cast<std::size_t>(recvcount);
      check_blocks(recvbuf, recvcount, recvtype, comm.peers(), "recvbuf");
      call.arguments.receive = call.outputs(recvbuf, elements, recvtype, comm.peers());
      const auto before = static_cast<std::uintptr_t>(comm.rank()) * elements;
      own = {reinterpret_cast<std::uintptr_t>(recvbuf) + before * static_cast<std::uintptr_t>(recvtype.extent()),
             elements, &recvtype};
    }
    if (has_own_block(root, comm)) fill_gathered(call, sendbuf, sendcount, sendtype, at_root, own);
  });
}

void gatherv(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
             void* recvbuf, CountArray recvcounts, CountArray displs, const dtype::Datatype& recvtype, int root,
             comm::Communicator& comm) {
  carry_out(form, comm, Operation::gatherv, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    const bool at_root = check::is_root(root, comm);
    Piece own{};
    if (at_root) {
      const MemberBlocks pieces(recvbuf, recvcounts, displs, recvtype);
      pieces.check(comm.peers(), gathered);
      call.arguments.receive = call.outputs(pieces, comm.peers());
      if (!comm.inter()) own = pieces[comm.rank()];
    }
    if (has_own_block(root, comm)) fill_gathered(call, sendbuf, sendcount, sendtype, at_root, own);
  });
}

void scatter(CollectiveForm form, const void* sendbuf, MPI_Count sendcount, const dtype::Datatype& sendtype,
             void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype, int root, comm::Communicator& comm) {
  carry_out(form, comm, Operation::scatter, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    const bool at_root = check::is_root(root, comm);
    if (at_root) {
      check_blocks(sendbuf, sendcount, sendtype, comm.peers(), "sendbuf");
      call.arguments.send = call.inputs(sendbuf, static_cast<std::size_t>(sendcount), sendtype, comm.peers());
    }
    if (has_own_block(root, comm)) fill_scattered(call, recvbuf, recvcount, recvtype, at_root);
  });
}

void scatterv(CollectiveForm form, const void* sendbuf, CountArray sendcounts, CountArray displs,
              const dtype::Datatype& sendtype, void* recvbuf, MPI_Count recvcount, const dtype::Datatype& recvtype,
              int root, comm::Communicator& comm) {
  carry_out(form, comm, Operation::scatterv, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    const bool at_root = check::is_root(root, comm);
    if (at_root) {
      const MemberBlocks pieces(sendbuf, sendcounts, displs, sendtype);
      pieces.check(comm.peers(), scattered);
      call.arguments.send = call.inputs(pieces, comm.peers());
    }
    if (has_own_block(root, comm)) fill_scattered(call, recvbuf, recvcount, recvtype, at_root);
  });
}

}  // namespace bowline::api
