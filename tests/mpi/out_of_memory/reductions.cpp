// SPDX-License-Identifier: BSD-3-Clause
// Chapter: collective operations, in their three forms, short and long.
#include "chapter.hpp"

namespace chapter {
namespace {

constexpr int most = 64 << 10;
int out[most], in[most];

void fill(int count) {
  for (int i = 0; i < count; ++i) {
    out[i] = i + rank;
    in[i] = -1;
  }
}
int sum(int i) {
  return size * i + size * (size - 1) / 2;
}
void check_sum(int count, const char* what) {
  for (int i = 0; i < count; ++i) right(in[i] == sum(i), what);
}

void blocking(MPI_Comm comm, int count) {
  const int part = count / size;
  must(MPI_Barrier(comm));
  fill(count);
  must(MPI_Allreduce(out, in, count, MPI_INT, MPI_SUM, comm));
  check_sum(count, "allreduce");
  fill(count);
  must(MPI_Bcast(out, count, MPI_INT, size - 1, comm));
  for (int i = 0; i < count; ++i) right(out[i] == i + size - 1, "bcast");
  fill(count);
  must(MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, 0, comm));
  if (rank == 0) check_sum(count, "reduce");
  fill(count);
  must(MPI_Gather(out, part, MPI_INT, in, part, MPI_INT, 0, comm));
  for (int i = 0; rank == 0 && i < part * size; ++i) right(in[i] == i % part + i / part, "gather");
  fill(count);
  must(MPI_Scatter(out, part, MPI_INT, in, part, MPI_INT, 0, comm));
  for (int i = 0; i < part; ++i) right(in[i] == part * rank + i, "scatter");
  fill(count);
  must(MPI_Allgather(out, part, MPI_INT, in, part, MPI_INT, comm));
  for (int i = 0; i < part * size; ++i) right(in[i] == i % part + i / part, "allgather");
  fill(count);
  must(MPI_Alltoall(out, part, MPI_INT, in, part, MPI_INT, comm));
  for (int i = 0; i < part * size; ++i) right(in[i] == i % part + part * rank + i / part, "alltoall");
  fill(count);
  must(MPI_Reduce_scatter_block(out, in, part, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < part; ++i) right(in[i] == sum(part * rank + i), "reduce_scatter_block");
  fill(count);
  must(MPI_Scan(out, in, count, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < count; ++i) right(in[i] == (rank + 1) * i + rank * (rank + 1) / 2, "scan");
}

void nonblocking(MPI_Comm comm, int count) {
  fill(count);
  {
    Requests<2> requests;
    must(MPI_Iallreduce(out, in, count, MPI_INT, MPI_SUM, comm, requests[0]));
    must(MPI_Ibarrier(comm, requests[1]));
    requests.wait();
  }
  check_sum(count, "iallreduce");
}

void persistent(MPI_Comm comm, int count) {
  fill(count);
  {
    Requests<1> request;
    must(MPI_Allreduce_init(out, in, count, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request[0]));
    must(MPI_Start(request[0]));
    request.wait();
  }
  check_sum(count, "allreduce_init");
}

void add(void* from, void* to, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) static_cast<int*>(to)[i] += static_cast<const int*>(from)[i];
}

void own_operator(MPI_Comm comm, int count) {
  Op op;
  must(MPI_Op_create(add, 0, &op));
  fill(count);
  must(MPI_Allreduce(out, in, count, MPI_INT, op, comm));
  check_sum(count, "allreduce with an operator of the program");
}

void with_holes(MPI_Comm comm) {
  constexpr int blocks = 2000;
  Type type;
  must(MPI_Type_vector(blocks, 1, 2, MPI_INT, &type));
  must(MPI_Type_commit(&type));
  fill(2 * blocks);
  must(MPI_Bcast(out, 1, type, 0, comm));
  for (int i = 0; i < 2 * blocks; ++i) right(out[i] == (i % 2 == 0 ? i : i + rank), "bcast with holes");
}

void run() {
  Comm comm;
  must(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  for (const int count : {8, 2000, most}) {
    blocking(comm, count);
    nonblocking(comm, count);
    persistent(comm, count);
    own_operator(comm, count);
  }
  with_holes(comm);
}

}  // namespace

const Chapter reductions{"reductions", run};

}  // namespace chapter
