/* SPDX-License-Identifier: BSD-3-Clause */
/* The side of languages.F90 that is in C. */
#include <mpi.h>
#include <stddef.h>

static int value_of_c = 4711;
static int copies, deletions;
static MPI_Aint seen;

int languages_counts(int which) {
  return which == 0 ? copies : deletions;
}
MPI_Aint languages_seen(void) {
  return seen;
}
MPI_Aint languages_address(void) {
  return (MPI_Aint)&value_of_c;
}

int languages_set(MPI_Fint comm, int key) {
  return MPI_Comm_set_attr(MPI_Comm_f2c(comm), key, &value_of_c);
}

/* What C sees: the number that the pointer leads to, of `bytes` bytes. */
MPI_Aint languages_get(MPI_Fint comm, int key, int bytes) {
  void* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_Comm_f2c(comm), key, &value, &found);
  if (!found) return -1;
  return bytes == 4 ? *(int*)value : *(MPI_Aint*)value;
}

MPI_Aint languages_get_pointer(MPI_Fint comm, int key) {
  void* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_Comm_f2c(comm), key, &value, &found);
  return found ? (MPI_Aint)value : -1;
}

/* Sees the number that Fortran has set through a pointer, and gives the duplicate a pointer. */
static int copy_fn(MPI_Comm comm, int key, void* state, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)state;
  ++copies;
  seen = *(MPI_Aint*)in;
  *(void**)out = &value_of_c;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete_fn(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  ++deletions;
  seen = *(int*)value;
  return MPI_SUCCESS;
}

int languages_keyval(int with_dup) {
  int key = MPI_KEYVAL_INVALID;
  if (with_dup) {
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  } else {
    MPI_Comm_create_keyval(copy_fn, delete_fn, &key, NULL);
  }
  return key;
}

/* Objects that Fortran has made. */
int languages_sum(MPI_Fint op, MPI_Fint type, MPI_Fint comm, int value) {
  int sum = -1;
  MPI_Allreduce(&value, &sum, 1, MPI_Type_f2c(type), MPI_Op_f2c(op), MPI_Comm_f2c(comm));
  return sum;
}

int languages_raise(MPI_Fint comm) {
  return MPI_Comm_call_errhandler(MPI_Comm_f2c(comm), MPI_ERR_OTHER);
}

int languages_receive(MPI_Fint comm, MPI_Fint* f_status) {
  MPI_Status status;
  int value = -1;
  MPI_Recv(&value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Comm_f2c(comm), &status);
  MPI_Status_c2f(&status, f_status);
  return value;
}
