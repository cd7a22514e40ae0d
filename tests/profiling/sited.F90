! SPDX-License-Identifier: BSD-3-Clause
! Calls MPI at places that call_sites_test.py knows by the comments behind them: calls and bytes on rank 0.
#include "forms.h"

subroutine pass(rank, value, count)
  USE_MPI
  implicit none
  WITH_MPI
  integer :: rank, count, ierr
  integer :: value(count)
  if (rank == 0) then
    call MPI_Send(value, count, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr) ! site: 5 calls, 60 bytes
  else if (rank == 1) then
    call MPI_Recv(value, count, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  end if
end subroutine

program sited
  USE_MPI
  implicit none
  WITH_MPI
  integer :: rank, i, ierr, value(4), sum(4), grid(4, 4)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  value = rank
  do i = 1, 3
    call pass(rank, value, 4)
  end do
  call pass(rank, value, 1)
  call pass(rank, value, 2)
  do i = 1, 2
    call MPI_Allreduce(value, sum, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr) ! site: 2 calls, 32 bytes
  end do
  ! The library may get the section itself: it is as long as a copy.
  grid = rank
  if (rank == 0) then
    call MPI_Send(grid(2, :), 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr) ! site: 1 calls, 16 bytes
  else if (rank == 1) then
    call MPI_Recv(value, 4, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (any(value /= 0)) error stop 1
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr) ! site: 1 calls, 0 bytes
  call MPI_Finalize(ierr)
end program
