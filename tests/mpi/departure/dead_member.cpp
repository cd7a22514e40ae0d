// SPDX-License-Identifier: BSD-3-Clause
// dead_member COUNT: a rank dies, nobody ends the job for that, and the others are in collective operations with it.
// Each of these ends at every rank, and with MPIX_ERR_PROC_FAILED at those that cannot have a result.
//
// Each operation runs in each form on a communicator of its own: once with all ranks, and once more when rank 1 has
// died. A rank that is through with that makes an empty file over.RANK in the working directory.
#include <mpi-ext.h>

#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "departure/silent_death.hpp"

namespace {

constexpr int victim = 1;

/// An operation in one of its forms, as often as it is called.
using Round = std::function<int()>;

int complete(int begun, MPI_Request& request) {
  return begun == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : begun;
}

struct Call {
  std::string name;
  bool fails;  ///< whether this rank needs something from the victim
  std::vector<int> in, out;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  Round round;
};

std::deque<Call> calls;
int count = 1;

Call& add(const std::string& name, bool fails) {
  Call& call = calls.emplace_back();
  call.name = name;
  call.fails = fails;
  call.in.assign(static_cast<std::size_t>(count * check::size), 1);
  call.out = call.in;
  MPI_Comm_dup(MPI_COMM_WORLD, &call.comm);
  return call;
}

/// The arguments are made of the call's buffers and its communicator.
template <class Blocking, class Nonblocking, class Init, class Arguments>
void in_all_forms(const std::string& name, bool fails, Blocking blocking, Nonblocking nonblocking, Init init,
                  Arguments with) {
  Call& first = add(name, fails);
  first.round = [&call = first, blocking, with] { return with(call, blocking); };
  Call& second = add(name + ", non-blocking", fails);
  second.round = [&call = second, nonblocking, with] {
    const int begun = with(call, [&](auto... arguments) { return nonblocking(arguments..., &call.request); });
    return complete(begun, call.request);
  };
  Call& third = add(name + ", persistent", fails);
  CHECK_EQ(with(third, [&](auto... arguments) { return init(arguments..., MPI_INFO_NULL, &third.request); }),
           MPI_SUCCESS);
  third.round = [&call = third] { return complete(MPI_Start(&call.request), call.request); };
}

#define FORMS(Name, name) MPI_##Name, MPI_I##name, MPI_##Name##_init

void add_all() {
  const auto everything = [](int root) {
    return [root](Call& c, auto call) {
      return call(c.in.data(), count, MPI_INT, c.out.data(), count, MPI_INT, root, c.comm);
    };
  };
  const auto among_all = [](Call& c, auto call) {
    return call(c.in.data(), count, MPI_INT, c.out.data(), count, MPI_INT, c.comm);
  };
  const auto reduced = [](Call& c, auto call) {
    return call(c.in.data(), c.out.data(), count, MPI_INT, MPI_SUM, c.comm);
  };
  const auto reduced_at_root = [](Call& c, auto call) {
    return call(c.in.data(), c.out.data(), count, MPI_INT, MPI_SUM, 0, c.comm);
  };
  const auto from = [](int root) {
    return [root](Call& c, auto call) { return call(c.out.data(), count, MPI_INT, root, c.comm); };
  };
  const bool is_root = check::rank == 0;
  in_all_forms("barrier", true, FORMS(Barrier, barrier), [](Call& c, auto call) { return call(c.comm); });
  in_all_forms("bcast from the victim", true, FORMS(Bcast, bcast), from(victim));
  in_all_forms("bcast", false, FORMS(Bcast, bcast), from(0));
  in_all_forms("scatter from the victim", true, FORMS(Scatter, scatter), everything(victim));
  in_all_forms("gather", is_root, FORMS(Gather, gather), everything(0));
  in_all_forms("reduce", is_root, FORMS(Reduce, reduce), reduced_at_root);
  in_all_forms("allgather", true, FORMS(Allgather, allgather), among_all);
  in_all_forms("alltoall", true, FORMS(Alltoall, alltoall), among_all);
  in_all_forms("allreduce", true, FORMS(Allreduce, allreduce), reduced);
  in_all_forms("scan", check::rank > victim, FORMS(Scan, scan), reduced);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  count = argc > 1 ? std::atoi(argv[1]) : 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  add_all();
  for (Call& call : calls) CHECK_EQ(call.round(), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == victim) silent_death::die();
  for (Call& call : calls) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(call.round(), &error_class);
    ++check::made;
    if (error_class != MPIX_ERR_PROC_FAILED && (call.fails || error_class != MPI_SUCCESS))
      check::report(__FILE__, __LINE__, call.name + ": error class " + std::to_string(error_class));
  }
  std::printf("rank %d is through, %ld checks failed\n", check::rank, check::failed);
  std::fflush(stdout);
  std::ofstream("over." + std::to_string(check::rank)).flush();
  return program.finish();
}
