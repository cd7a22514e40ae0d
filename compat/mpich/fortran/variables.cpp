// SPDX-License-Identifier: BSD-3-Clause
// Fortran's variables of MPICH's ABI whose addresses have a meaning.
#include "fortran_abi.hpp"

extern "C" {

// A program's COMMON block comes before the library's, which is aligned like one.
alignas(64) decltype(mpipriv1_) mpipriv1_ = {};
alignas(64) decltype(mpipriv2_) mpipriv2_ = {};
alignas(64) decltype(mpiprivc_) mpiprivc_ = {};
alignas(64) int mpifcmb5_ = 0;
alignas(64) int mpifcmb9_ = 0;

int mpich_f08_unweighted[1] = {};
int mpich_f08_weights_empty[1] = {};
int mpich_f08_errcodes_ignore[1] = {};
char mpich_f08_argv_null[1] = {};
char mpich_f08_argvs_null[1] = {};

// C programs learn from these where Fortran's variables are.
#pragma GCC visibility push(default)
extern MPI_Fint* mpich_f_status_ignore __asm__("MPI_F_STATUS_IGNORE");
extern MPI_Fint* mpich_f_statuses_ignore __asm__("MPI_F_STATUSES_IGNORE");
#pragma GCC visibility pop

}  // extern "C"

namespace {

[[gnu::constructor]] void publish() {
  mpich_f_status_ignore = mpipriv1_.status_ignore;
  mpich_f_statuses_ignore = mpipriv2_.statuses_ignore;
}

}  // namespace
