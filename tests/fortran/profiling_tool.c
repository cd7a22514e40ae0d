/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool in C that counts calls from Fortran under the linker names of MPI-5.0, table 19.1. */
static int sends, receives;

int profiling_sends(void) {
  return sends;
}
int profiling_receives(void) {
  return receives;
}

/* A choice buffer of mpi_f08 is a descriptor, which the tool hands on. */
void pmpi_send_f08ts_(void*, int*, int*, int*, int*, int*, int*);
void mpi_send_f08ts_(void* buf, int* count, int* datatype, int* dest, int* tag, int* comm, int* ierror) {
  ++sends;
  pmpi_send_f08ts_(buf, count, datatype, dest, tag, comm, ierror);
}

void pmpi_recv_(void*, int*, int*, int*, int*, int*, int*, int*);
void mpi_recv_(void* buf, int* count, int* datatype, int* source, int* tag, int* comm, int* status, int* ierror) {
  ++receives;
  pmpi_recv_(buf, count, datatype, source, tag, comm, status, ierror);
}
