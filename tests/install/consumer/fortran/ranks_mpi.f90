! SPDX-License-Identifier: BSD-3-Clause
program ranks
  use mpi
  implicit none
  integer :: rank, size, sum, ierr
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call MPI_Allreduce(rank + 1, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, i0, a, i0)', "sum of ", size, " ranks: ", sum
  call MPI_Finalize(ierr)
end program
