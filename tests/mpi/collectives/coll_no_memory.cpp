// SPDX-License-Identifier: BSD-3-Clause
// For a job in a memory cgroup of its own, which runs out of memory between the making of a communicator's shared
// memory and its first long collectives: those fail with an error in each rank that cannot have its result, nobody
// waits for ever or gets wrong data, and when there is memory again they are right.
//
//   coll_no_memory USED STAT LIMIT     the files that say how many bytes the group uses and for what, and how many it
//                                      may use
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check.hpp"
#include "hunger.hpp"

namespace {

constexpr int count = 8192;  // of one rank: 32 KiB

MPI_Comm comm = MPI_COMM_NULL;

struct Data {
  std::vector<int> in = std::vector<int>(static_cast<std::size_t>(count) * static_cast<std::size_t>(check::size));
  std::vector<int> out = std::vector<int>(in.size());

  void fill() {
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = check::rank + 1;
    for (int& value : out) value = -1;
  }
};

struct Case {
  std::string name;
  std::function<int(Data&)> call;
  std::function<bool(const Data&)> right;  ///< of this rank, if it got MPI_SUCCESS
};

bool all_are(const std::vector<int>& values, int from, int many, int expected) {
  for (int i = from; i < from + many; ++i) {
    if (values[static_cast<std::size_t>(i)] != expected) return false;
  }
  return true;
}

/// Block i came from rank i.
bool in_order(const Data& data) {
  for (int i = 0; i < check::size; ++i) {
    if (!all_are(data.out, i * count, count, i + 1)) return false;
  }
  return true;
}

std::vector<Case> cases() {
  const int size = check::size, rank = check::rank, total = size * (size + 1) / 2;
  std::vector<Case> all;
  for (int root = 0; root < size; ++root) {
    all.push_back({"bcast", [root](Data& d) { return MPI_Bcast(d.in.data(), count, MPI_INT, root, comm); },
                   [root](const Data& d) { return all_are(d.in, 0, count, root + 1); }});
    all.push_back(
        {"gather",
         [root](Data& d) { return MPI_Gather(d.in.data(), count, MPI_INT, d.out.data(), count, MPI_INT, root, comm); },
         [root, rank](const Data& d) { return rank != root || in_order(d); }});
    all.push_back(
        {"scatter",
         [root](Data& d) { return MPI_Scatter(d.in.data(), count, MPI_INT, d.out.data(), count, MPI_INT, root, comm); },
         [root](const Data& d) { return all_are(d.out, 0, count, root + 1); }});
    all.push_back(
        {"reduce",
         [root](Data& d) { return MPI_Reduce(d.in.data(), d.out.data(), count, MPI_INT, MPI_SUM, root, comm); },
         [=](const Data& d) { return rank != root || all_are(d.out, 0, count, total); }});
  }
  all.push_back({"allgather",
                 [](Data& d) { return MPI_Allgather(d.in.data(), count, MPI_INT, d.out.data(), count, MPI_INT, comm); },
                 in_order});
  all.push_back({"alltoall",
                 [](Data& d) { return MPI_Alltoall(d.in.data(), count, MPI_INT, d.out.data(), count, MPI_INT, comm); },
                 in_order});
  all.push_back({"allreduce",
                 [](Data& d) { return MPI_Allreduce(d.in.data(), d.out.data(), count, MPI_INT, MPI_SUM, comm); },
                 [=](const Data& d) { return all_are(d.out, 0, count, total); }});
  all.push_back(
      {"reduce_scatter_block",
       [](Data& d) { return MPI_Reduce_scatter_block(d.in.data(), d.out.data(), count, MPI_INT, MPI_SUM, comm); },
       [=](const Data& d) { return all_are(d.out, 0, count, total); }});
  all.push_back({"scan", [](Data& d) { return MPI_Scan(d.in.data(), d.out.data(), count, MPI_INT, MPI_SUM, comm); },
                 [=](const Data& d) { return all_are(d.out, 0, count, (rank + 1) * (rank + 2) / 2); }});
  return all;
}

/// How many calls of this rank failed. All of them meet after each, so that an error stays with its operation.
int run(const std::vector<Case>& all, Data& data) {
  int failed = 0;
  for (const Case& each : all) {
    data.fill();
    const int code = each.call(data);
    int error_class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
    const bool expected =
        code == MPI_SUCCESS ? each.right(data) : error_class == MPI_ERR_NO_MEM || error_class == MPI_ERR_OTHER;
    if (!CHECK(expected))
      std::fprintf(stderr, "rank %d: %s, error class %d\n", check::rank, each.name.c_str(), error_class);
    failed += code != MPI_SUCCESS ? 1 : 0;
    MPI_Barrier(comm);
  }
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  if (argc != 4) {
    std::fprintf(stderr, "coll_no_memory: three arguments are needed, USED, STAT and LIMIT, not %d\n", argc - 1);
    return EXIT_FAILURE;
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const std::vector<Case> all = cases();
  Data data;
  data.fill();
  // One rank has its memory already: so it gets as far as to what others have not written.
  for (int i = 0; i < 8; ++i) MPI_Bcast(data.in.data(), count, MPI_INT, 1, comm);
  {
    std::optional<check::Hunger> hunger;
    if (check::rank == 0) hunger.emplace(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
    MPI_Barrier(comm);
    const int failed = run(all, data);
    std::printf("rank %d: %d of %zu failed\n", check::rank, failed, all.size());
    CHECK(failed > 0);
  }
  MPI_Barrier(comm);
  CHECK_EQ(run(all, data), 0);
  MPI_Comm_free(&comm);
  return program.finish();
}
