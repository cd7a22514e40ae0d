// SPDX-License-Identifier: BSD-3-Clause
// What the procedures for Fortran need to know of MPICH's ABI. fortran/abi/standard/fortran_abi.hpp says what each
// definition is for.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>

extern "C" {
// MPICH's extensions.
int PMPIX_GPU_query_support(int gpu, int* supported);
int PMPIX_Query_cuda_support(void);
int PMPIX_Query_hip_support(void);
int PMPIX_Query_ze_support(void);
int MPIX_GPU_query_support(int gpu, int* supported);
int MPIX_Query_cuda_support(void);
int MPIX_Query_hip_support(void);
int MPIX_Query_ze_support(void);

// COMMON blocks of mpif.h and of the module mpi. A program that has one defines the variable itself, and the library
// uses that one.
extern struct {
  int bottom;
  int in_place;
  int status_ignore[5];
} mpipriv1_;
extern struct {
  int statuses_ignore[5];
  int errcodes_ignore[1];
} mpipriv2_;
extern struct {
  char argvs_null[1];
  char argv_null[1];
} mpiprivc_;
extern int mpifcmb5_;  // MPI_UNWEIGHTED
extern int mpifcmb9_;  // MPI_WEIGHTS_EMPTY

// Variables of the module mpi_f08.
extern int mpich_f08_bottom __asm__("MPIR_F08_MPI_BOTTOM");
extern int mpich_f08_in_place __asm__("MPIR_F08_MPI_IN_PLACE");
extern int mpich_f08_status_ignore[5] __asm__("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
extern int mpich_f08_statuses_ignore[5] __asm__("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
extern int mpich_f08_unweighted[1] __asm__("__mpi_f08_link_constants_MOD_mpi_unweighted");
extern int mpich_f08_weights_empty[1] __asm__("__mpi_f08_link_constants_MOD_mpi_weights_empty");
extern int mpich_f08_errcodes_ignore[1] __asm__("__mpi_f08_link_constants_MOD_mpi_errcodes_ignore");
extern char mpich_f08_argv_null[1] __asm__("__mpi_f08_link_constants_MOD_mpi_argv_null");
extern char mpich_f08_argvs_null[1] __asm__("__mpi_f08_link_constants_MOD_mpi_argvs_null");
}
#pragma GCC visibility pop

#include "fortran/front_interface.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

namespace sentinel {
inline bool is_bottom(const void* address) noexcept {
  return address == &mpipriv1_.bottom || address == &mpich_f08_bottom;
}
inline bool is_in_place(const void* address) noexcept {
  return address == &mpipriv1_.in_place || address == &mpich_f08_in_place;
}
inline bool is_buffer_automatic(const void*) noexcept {
  return false;  // MPICH's modules do not have it
}
inline const void* buffer_automatic() noexcept {
  return nullptr;
}
inline bool is_unweighted(const void* address) noexcept {
  return address == &mpifcmb5_ || address == mpich_f08_unweighted;
}
inline bool is_weights_empty(const void* address) noexcept {
  return address == &mpifcmb9_ || address == mpich_f08_weights_empty;
}
inline bool is_errcodes_ignore(const void* address) noexcept {
  return address == mpipriv2_.errcodes_ignore || address == mpich_f08_errcodes_ignore;
}
inline bool is_status_ignore(const void* status) noexcept {
  return status == mpipriv1_.status_ignore || status == mpich_f08_status_ignore;
}
inline bool is_statuses_ignore(const void* statuses) noexcept {
  return statuses == mpipriv2_.statuses_ignore || statuses == mpich_f08_statuses_ignore;
}
inline bool is_argv_null(const void* address) noexcept {
  return address == mpiprivc_.argv_null || address == mpich_f08_argv_null;
}
inline bool is_argvs_null(const void* address) noexcept {
  return address == mpiprivc_.argvs_null || address == mpich_f08_argvs_null;
}
}  // namespace sentinel

inline constexpr int status_integers = 5;

using Descriptor = DescriptorWith<LayoutOfGfortran>;

// A handle of Fortran is that of C, but for files.
template <class Handle>
Handle handle_of(MPI_Fint number) {
  return number;
}
template <>
inline MPI_File handle_of<MPI_File>(MPI_Fint number) {
  return PMPI_File_fromint(number);
}

inline MPI_Fint number_of(int handle) noexcept {
  return handle;
}
inline MPI_Fint number_of(MPI_File handle) {
  return PMPI_File_toint(handle);
}

}  // namespace bowline::fortran
