// SPDX-License-Identifier: BSD-3-Clause
// What the libraries for Fortran and C programs share in Open MPI's ABI: the variables behind Fortran's MPI_BOTTOM,
// MPI_IN_PLACE and their like, which are known by their addresses, and Fortran's predefined callbacks.
#include "abi.hpp"

#pragma GCC visibility push(default)

extern "C" {

int mpi_fortran_bottom_ = 0;
int mpi_fortran_in_place_ = 0;
int mpi_fortran_unweighted_ = 0;
int mpi_fortran_weights_empty_ = 0;
int mpi_fortran_errcodes_ignore_ = 0;
char mpi_fortran_argv_null_ = 0;
char mpi_fortran_argvs_null_ = 0;
// In C, the address of a status to be ignored. A Fortran program has a larger variable of that name, which takes the
// place of this one.
double mpi_fortran_status_ignore_ = 0;
double mpi_fortran_statuses_ignore_ = 0;

MPI_Fint* front_f_status_ignore __asm__("MPI_F_STATUS_IGNORE") =
    reinterpret_cast<MPI_Fint*>(&mpi_fortran_status_ignore_);
MPI_Fint* front_f_statuses_ignore __asm__("MPI_F_STATUSES_IGNORE") =
    reinterpret_cast<MPI_Fint*>(&mpi_fortran_statuses_ignore_);

// MPI_Wtime and its like for the module mpi_f08, where they are functions of C.
double mpi_wtime_f90_f(void) {
  return bowline_PMPI_Wtime();
}
double mpi_wtick_f90_f(void) {
  return bowline_PMPI_Wtick();
}
MPI_Aint mpi_aint_add_f90_f(const MPI_Aint* base, const MPI_Aint* displacement) {
  return bowline_PMPI_Aint_add(*base, *displacement);
}
MPI_Aint mpi_aint_diff_f90_f(const MPI_Aint* minuend, const MPI_Aint* subtrahend) {
  return bowline_PMPI_Aint_diff(*minuend, *subtrahend);
}

/// The parent of the processes that MPI_Comm_spawn starts.
void* ompi_mpi_comm_parent = nullptr;

// ---- Fortran's MPI_DUP_FN and its like, which take all arguments by reference

void mpi_comm_dup_fn_f(int*, int*, MPI_Aint*, MPI_Aint* value, MPI_Aint* copy, int* wanted, int* error) {
  *copy = *value;
  *wanted = 1;
  *error = MPI_SUCCESS;
}
void mpi_comm_null_copy_fn_f(int*, int*, MPI_Aint*, MPI_Aint*, MPI_Aint*, int* wanted, int* error) {
  *wanted = 0;
  *error = MPI_SUCCESS;
}
void mpi_comm_null_delete_fn_f(int*, int*, MPI_Aint*, MPI_Aint*, int* error) {
  *error = MPI_SUCCESS;
}
/// MPI-1's: attributes are INTEGERs.
void mpi_dup_fn_f(int*, int*, int*, int* value, int* copy, int* wanted, int* error) {
  *copy = *value;
  *wanted = 1;
  *error = MPI_SUCCESS;
}
void mpi_null_copy_fn_f(int*, int*, int*, int*, int*, int* wanted, int* error) {
  *wanted = 0;
  *error = MPI_SUCCESS;
}
void mpi_null_delete_fn_f(int*, int*, int*, int*, int* error) {
  *error = MPI_SUCCESS;
}
void mpi_conversion_fn_null_f(void*, int*, int*, void*, MPI_Offset*, MPI_Aint*, int* error) {
  *error = abi::out_error(MPI_ERR_UNSUPPORTED_OPERATION);
}

}  // extern "C"

// Each under the names that different Fortran compilers give it. The assembler makes them, because some of them are
// macros in C.
#define FRONT_FORTRAN_NAME(name, target) ".weak " name "\n.set " name ", " target "\n"
#define FRONT_FORTRAN_NAMES(lower, upper, target)                                 \
  __asm__(FRONT_FORTRAN_NAME(lower, target) FRONT_FORTRAN_NAME(lower "_", target) \
              FRONT_FORTRAN_NAME(lower "__", target) FRONT_FORTRAN_NAME(upper, target))
FRONT_FORTRAN_NAMES("mpi_wtime_f90", "MPI_WTIME_F90", "mpi_wtime_f90_f");
FRONT_FORTRAN_NAMES("mpi_wtick_f90", "MPI_WTICK_F90", "mpi_wtick_f90_f");
FRONT_FORTRAN_NAMES("mpi_aint_add_f90", "MPI_AINT_ADD_F90", "mpi_aint_add_f90_f");
FRONT_FORTRAN_NAMES("mpi_aint_diff_f90", "MPI_AINT_DIFF_F90", "mpi_aint_diff_f90_f");
FRONT_FORTRAN_NAMES("mpi_dup_fn", "MPI_DUP_FN", "mpi_dup_fn_f");
FRONT_FORTRAN_NAMES("mpi_null_copy_fn", "MPI_NULL_COPY_FN", "mpi_null_copy_fn_f");
FRONT_FORTRAN_NAMES("mpi_null_delete_fn", "MPI_NULL_DELETE_FN", "mpi_null_delete_fn_f");
FRONT_FORTRAN_NAMES("mpi_comm_dup_fn", "MPI_COMM_DUP_FN", "mpi_comm_dup_fn_f");
FRONT_FORTRAN_NAMES("mpi_comm_null_copy_fn", "MPI_COMM_NULL_COPY_FN", "mpi_comm_null_copy_fn_f");
FRONT_FORTRAN_NAMES("mpi_comm_null_delete_fn", "MPI_COMM_NULL_DELETE_FN", "mpi_comm_null_delete_fn_f");
FRONT_FORTRAN_NAMES("mpi_type_dup_fn", "MPI_TYPE_DUP_FN", "mpi_comm_dup_fn_f");
FRONT_FORTRAN_NAMES("mpi_type_null_copy_fn", "MPI_TYPE_NULL_COPY_FN", "mpi_comm_null_copy_fn_f");
FRONT_FORTRAN_NAMES("mpi_type_null_delete_fn", "MPI_TYPE_NULL_DELETE_FN", "mpi_comm_null_delete_fn_f");
FRONT_FORTRAN_NAMES("mpi_win_dup_fn", "MPI_WIN_DUP_FN", "mpi_comm_dup_fn_f");
FRONT_FORTRAN_NAMES("mpi_win_null_copy_fn", "MPI_WIN_NULL_COPY_FN", "mpi_comm_null_copy_fn_f");
FRONT_FORTRAN_NAMES("mpi_win_null_delete_fn", "MPI_WIN_NULL_DELETE_FN", "mpi_comm_null_delete_fn_f");
FRONT_FORTRAN_NAMES("mpi_conversion_fn_null", "MPI_CONVERSION_FN_NULL", "mpi_conversion_fn_null_f");
