! SPDX-License-Identifier: BSD-3-Clause
! Calls procedures of MPI a known number of times (counts_test.py), some by their names with P.
#include "forms.h"

program counted
  USE_MPI
  implicit none
  WITH_MPI
  integer :: rank, ranks, next, before, ierr, i
  integer, asynchronous :: given(4) = [1, 2, 3, 4], got(4), sum(4), grid(4, 4)
  integer(MPI_ADDRESS_KIND) :: value
  logical :: found
  REQUEST_T :: requests(2)
  OP_T :: op
  COMM_T :: copy
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = modulo(rank + 1, ranks)
  before = modulo(rank - 1, ranks)
  do i = 1, 3
    call MPI_Irecv(got, 4, MPI_INTEGER, before, i, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(given, 4, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  end do
  call PMPI_Irecv(got, 4, MPI_INTEGER, before, 9, MPI_COMM_WORLD, requests(1), ierr)
  call PMPI_Send(given, 4, MPI_INTEGER, next, 9, MPI_COMM_WORLD, ierr)
  call PMPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)

  ! A row of a matrix is not contiguous: mpi_f08 may pass the descriptor of the section.
  grid = 0
  grid(2, :) = given
  call MPI_Sendrecv(grid(2, :), 4, MPI_INTEGER, next, 5, got, 4, MPI_INTEGER, before, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  if (any(got /= given)) error stop 1

  call MPI_Op_create(add, .true., op, ierr)
  call MPI_Allreduce(given, sum, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call MPI_Op_free(op, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
  call MPI_Comm_free(copy, ierr)
#ifdef LARGE
  call MPI_Allreduce(given, sum, 4_MPI_COUNT_KIND, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
#endif
  if (any(sum /= ranks * given) .or. .not. found) error stop 2
  call MPI_Finalize(ierr)

contains

#ifdef WITH_F08
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
#else
  subroutine add(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(len), inout(len)
#endif
    inout = in + inout
  end subroutine
end program
