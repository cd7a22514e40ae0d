! SPDX-License-Identifier: BSD-3-Clause
program ranks
  use mpi_f08
  implicit none
  integer :: rank, size, sum
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Allreduce(rank + 1, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a, i0)', "sum of ", size, " ranks: ", sum
  call MPI_Finalize()
end program
