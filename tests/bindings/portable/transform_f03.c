/* SPDX-License-Identifier: BSD-3-Clause */
/* A library with an interface for Fortran, as numerical libraries have it: communicators come as integers. */
#include <mpi.h>
#include <stddef.h>

typedef struct {
  MPI_Comm comm;
  ptrdiff_t first;
  ptrdiff_t count;
} plan;

int plan_transform(plan* p, ptrdiff_t rows, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  p->first = rows * rank / size;
  p->count = rows * (rank + 1) / size - p->first;
  return MPI_Comm_dup(comm, &p->comm);
}

int plan_transform_f03(plan* p, ptrdiff_t rows, MPI_Fint f_comm) {
  MPI_Comm comm;
  comm = MPI_Comm_f2c(f_comm);
  return plan_transform(p, rows, comm);
}

MPI_Fint plan_communicator_f03(const plan* p) {
  return MPI_Comm_c2f(p->comm);
}
