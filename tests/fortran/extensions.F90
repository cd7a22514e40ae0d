! SPDX-License-Identifier: BSD-3-Clause
! The modules mpi_f08_ext and mpi_ext, and mpif-ext.h: what Bowline adds to MPI.
#include "forms.h"
#ifdef WITH_F08
#define USE_EXTENSIONS use mpi_f08_ext
#define WITH_EXTENSIONS
#else
#ifdef WITH_MODULE
#define USE_EXTENSIONS use mpi_ext
#define WITH_EXTENSIONS
#else
#define USE_EXTENSIONS
#define WITH_EXTENSIONS include 'mpif-ext.h'
#endif
#endif

program extensions
  USE_MPI
  USE_EXTENSIONS
  use check
  implicit none
  WITH_MPI
  WITH_EXTENSIONS
  COMM_T :: comm
  integer :: ierr, rank

  call MPI_Init(ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_rank(comm, rank, ierr)
  call constants()
  call failures()
  call agreements()
  call shrinking()
  call revocation()
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  subroutine constants()
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length
    integer(kind=MPI_ADDRESS_KIND) :: value
    logical :: found
    CHECK(MPIX_ERR_TIMEOUT == 16128 .and. MPIX_ERR_PROC_FAILED == 16129)
    CHECK(MPIX_ERR_PROC_FAILED_PENDING == 16130 .and. MPIX_ERR_REVOKED == 16131)
    CHECK(MPI_ERR_PROC_FAILED == MPIX_ERR_PROC_FAILED .and. MPI_ERR_REVOKED == MPIX_ERR_REVOKED)
    CHECK(MPI_ERR_PROC_FAILED_PENDING == MPIX_ERR_PROC_FAILED_PENDING)
    call MPI_Error_string(MPIX_ERR_PROC_FAILED_PENDING, text, length, ierr)
    CHECK(index(text, "MPIX_ERR_PROC_FAILED_PENDING") > 0)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, value, found, ierr)
    CHECK(found .and. value == 0)
  end subroutine

  subroutine succeeded()
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine check_empty(group)
    GROUP_T, intent(inout) :: group
    integer :: members
    call succeeded()
    call MPI_Group_size(group, members, ierr)
    CHECK(members == 0)
    if (group /= MPI_GROUP_EMPTY) call MPI_Group_free(group, ierr)
  end subroutine

  subroutine failures()
    GROUP_T :: group
    integer :: acknowledged
    call MPIX_Comm_get_failed(comm, group, ierr)
    call check_empty(group)
    call MPI_Comm_get_failed(comm, group, ierr)
    call check_empty(group)
    call MPIX_Comm_agree_failed(comm, group, ierr)
    call check_empty(group)
    call MPIX_Comm_ack_failed(comm, 0, acknowledged, ierr)
    call succeeded()
    CHECK(acknowledged == 0)
    call MPI_Comm_ack_failed(comm, 1, acknowledged, ierr)
    call succeeded()
    CHECK(acknowledged == 0)
    call MPIX_Comm_failure_ack(comm, ierr)
    call succeeded()
    call MPIX_Comm_failure_get_acked(comm, group, ierr)
    call check_empty(group)
  end subroutine

  subroutine agreements()
    REQUEST_T :: request
    integer, asynchronous :: bits
    bits = merge(6, 7, rank == 0)
    call MPIX_Comm_agree(comm, bits, ierr)
    call succeeded()
    CHECK(bits == 6)
    bits = merge(5, 7, rank == 0)
    call MPIX_Comm_iagree(comm, bits, request, ierr)
    call succeeded()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    CHECK(bits == 5)
  end subroutine

  subroutine check_alike(newcomm)
    COMM_T, intent(inout) :: newcomm
    integer :: comparison
    call MPI_Comm_compare(comm, newcomm, comparison, ierr)
    CHECK(comparison == MPI_CONGRUENT)
    call MPI_Comm_free(newcomm, ierr)
  end subroutine

  subroutine shrinking()
    COMM_T, asynchronous :: newcomm
    REQUEST_T :: request
    call MPIX_Comm_shrink(comm, newcomm, ierr)
    call succeeded()
    call check_alike(newcomm)
    call MPIX_Comm_ishrink(comm, newcomm, request, ierr)
    call succeeded()
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call check_alike(newcomm)
  end subroutine

  subroutine revocation()
    logical :: flag
    call MPIX_Comm_is_revoked(comm, flag, ierr)
    call succeeded()
    CHECK(.not. flag)
    call MPI_Comm_is_revoked(comm, flag, ierr)
    call succeeded()
    CHECK(.not. flag)
    call MPI_Barrier(comm, ierr)
    call MPIX_Comm_revoke(comm, ierr)
    call succeeded()
    call MPI_Comm_revoke(comm, ierr)
    call succeeded()
    call MPIX_Comm_is_revoked(comm, flag, ierr)
    CHECK(flag)
    call MPI_Barrier(comm, ierr)
    CHECK(ierr == MPIX_ERR_REVOKED)
  end subroutine

end program
