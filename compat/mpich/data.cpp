// SPDX-License-Identifier: BSD-3-Clause
// The variables of MPICH's ABI.
#include "abi.hpp"

#pragma GCC visibility push(default)

extern "C" {

// The addresses that MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY point to.
long mpich_unweighted_mark __asm__("MPIR_C_MPI_UNWEIGHTED") = 0;
long mpich_weights_empty_mark __asm__("MPIR_C_MPI_WEIGHTS_EMPTY") = 0;
int* const abi::mpich_unweighted = reinterpret_cast<int*>(&mpich_unweighted_mark);
int* const abi::mpich_weights_empty = reinterpret_cast<int*>(&mpich_weights_empty_mark);

extern MPI_T_pvar_handle const mpich_all_handles __asm__("MPI_T_PVAR_ALL_HANDLES");
MPI_T_pvar_handle const mpich_all_handles = MPI_T_PVAR_ALL_HANDLES;

// In Fortran, what stands for a status that is to be ignored: the library for Fortran stores the addresses of its
// variables here.
MPI_Fint* mpich_f_status_ignore __asm__("MPI_F_STATUS_IGNORE") = nullptr;
MPI_Fint* mpich_f_statuses_ignore __asm__("MPI_F_STATUSES_IGNORE") = nullptr;

// The same for the module mpi_f08, and its MPI_BOTTOM and MPI_IN_PLACE.
abi::Status mpich_f08_status_ignore_object __asm__("MPIR_F08_MPI_STATUS_IGNORE_OBJ") = {};
abi::Status mpich_f08_statuses_ignore_object[1] __asm__("MPIR_F08_MPI_STATUSES_IGNORE_OBJ") = {};
abi::Status* mpich_f08_status_ignore __asm__("MPI_F08_STATUS_IGNORE") = &mpich_f08_status_ignore_object;
abi::Status* mpich_f08_statuses_ignore __asm__("MPI_F08_STATUSES_IGNORE") = mpich_f08_statuses_ignore_object;
int mpich_f08_in_place __asm__("MPIR_F08_MPI_IN_PLACE") = 0;
int mpich_f08_bottom __asm__("MPIR_F08_MPI_BOTTOM") = 0;

}  // extern "C"
