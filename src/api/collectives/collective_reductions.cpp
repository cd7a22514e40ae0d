// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 6.9 to 6.11: the operations that combine operands of all processes.
#include <fmt/format.h>

#include "api/collectives/collective_blocks.hpp"
#include "api/collectives/collective_request.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"

namespace bowline::api {
namespace {

using coll::Operation;

/// The buffers of a process, with the number of elements of its operand and of its result.
struct Operand {
  const void* sendbuf;
  void* recvbuf;
  MPI_Count count;
  MPI_Count results;
  const dtype::Datatype& type;
};

/// Sets operand and result of a process that gets a result.
void fill_both(CollectiveCall& call, const Operand& operand, const dtype::Op& op) {
  const auto count = static_cast<std::size_t>(operand.count);
  const auto results = static_cast<std::size_t>(operand.results);
  const bool in_place = operand.sendbuf == MPI_IN_PLACE;
  refuse_in_place_between_groups(operand.sendbuf, "sendbuf", call.comm());
  check::buffer(operand.recvbuf, in_place ? operand.count : operand.results, operand.type, "recvbuf");
  if (!in_place) {
    check::buffer(operand.sendbuf, operand.count, operand.type, "sendbuf");
    if (operand.sendbuf == operand.recvbuf && results > 0 && operand.type.size() > 0) {
      throw Error(ErrorClass::buffer,
                  call.comm().inter()
                      ? "sendbuf and recvbuf are the same memory: give two buffers"
                      : "sendbuf and recvbuf are the same memory: give MPI_IN_PLACE as sendbuf instead");
    }
  }
  call.reduce_with(op, operand.type);
  if (in_place) {
    const std::span<std::byte> both = call.in_place(operand.recvbuf, count, results);
    call.arguments.input = both;
    call.arguments.result = both.first(results * call.element());
  } else {
    call.arguments.input = call.operand(operand.sendbuf, count);
    call.arguments.result = call.reduced(operand.recvbuf, results);
  }
}

/// Like fill_both(), for a result as long as the operand.
void fill_all(CollectiveCall& call, const void* sendbuf, void* recvbuf, MPI_Count count,
              const dtype::Datatype& datatype, const dtype::Op& op) {
  fill_both(call, {sendbuf, recvbuf, count, count, datatype}, op);
}

/// The number of elements of each operand if the result is scattered: the sum of `counts`. Throws Error if a count is
/// wrong.
MPI_Count total(CountArray counts, int members) {
  if (counts.is_null()) check::refuse::pointer("recvcounts");
  MPI_Count sum = 0;
  for (int i = 0; i < members; ++i) {
    const MPI_Count count = counts[static_cast<std::size_t>(i)];
    if (count < 0) check::count(count, fmt::format("recvcounts[{}]", i).c_str());
    if (__builtin_add_overflow(sum, count, &sum))
      throw Error(ErrorClass::count, "recvcounts has a sum of more than 2^63-1: give smaller counts");
  }
  return sum;
}

}  // namespace

void reduce(CollectiveForm form, const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype,
            const dtype::Op& op, int root, comm::Communicator& comm) {
  carry_out(form, comm, Operation::reduce, [&](CollectiveCall& call) {
    call.arguments.root = position_of_root(root, comm);
    const bool at_root = check::is_root(root, comm);
    if (at_root && !comm.inter()) {
      fill_all(call, sendbuf, recvbuf, count, datatype, op);
    } else if (at_root) {
      check::buffer(recvbuf, count, datatype, "recvbuf");
      call.reduce_with(op, datatype);
      call.arguments.result = call.reduced(recvbuf, static_cast<std::size_t>(count));
    } else if (root >= 0) {
      refuse_in_place(sendbuf, "sendbuf", "at the root of an intracommunicator only");
      check::buffer(sendbuf, count, datatype, "sendbuf");
      call.reduce_with(op, datatype);
      call.arguments.input = call.operand(sendbuf, static_cast<std::size_t>(count));
    }
  });
}

void allreduce(CollectiveForm form, const void* sendbuf, void* recvbuf, MPI_Count count,
               const dtype::Datatype& datatype, const dtype::Op& op, comm::Communicator& comm) {
  carry_out(form, comm, Operation::allreduce,
            [&](CollectiveCall& call) { fill_all(call, sendbuf, recvbuf, count, datatype, op); });
}

void reduce_scatter_block(CollectiveForm form, const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                          const dtype::Datatype& datatype, const dtype::Op& op, comm::Communicator& comm) {
  carry_out(form, comm, Operation::reduce_scatter_block, [&](CollectiveCall& call) {
    MPI_Count count = 0;
    if (__builtin_mul_overflow(recvcount, static_cast<MPI_Count>(comm.size()), &count))
      check::refuse::too_long(recvcount, datatype);
    fill_both(call, {sendbuf, recvbuf, count, recvcount, datatype}, op);
    auto* const vector = const_cast<std::byte*>(call.arguments.input.data());
    call.arguments.receive = coll::Blocks(vector, call.arguments.result.size());
  });
}

void reduce_scatter(CollectiveForm form, const void* sendbuf, void* recvbuf, CountArray recvcounts,
                    const dtype::Datatype& datatype, const dtype::Op& op, comm::Communicator& comm) {
  carry_out(form, comm, Operation::reduce_scatter, [&](CollectiveCall& call) {
    const MPI_Count count = total(recvcounts, comm.size());
    const MPI_Count mine = recvcounts[static_cast<std::size_t>(comm.rank())];
    fill_both(call, {sendbuf, recvbuf, count, mine, datatype}, op);
    call.arguments.receive = call.parts(recvcounts, comm.size());
  });
}

void scan(CollectiveForm form, const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype,
          const dtype::Op& op, comm::Communicator& comm) {
  carry_out(form, comm, Operation::scan,
            [&](CollectiveCall& call) { fill_all(call, sendbuf, recvbuf, count, datatype, op); });
}

// The first process gets no result, and its recvbuf is ignored unless it holds the operand.
void exscan(CollectiveForm form, const void* sendbuf, void* recvbuf, MPI_Count count, const dtype::Datatype& datatype,
            const dtype::Op& op, comm::Communicator& comm) {
  carry_out(form, comm, Operation::exscan, [&](CollectiveCall& call) {
    fill_both(call, {sendbuf, recvbuf, count, comm.rank() == 0 ? 0 : count, datatype}, op);
  });
}

}  // namespace bowline::api
