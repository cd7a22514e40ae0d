! SPDX-License-Identifier: BSD-3-Clause
! Profiling: procedures of a tool, in C (profiling_tool.c) and in Fortran, stand before the library's and call those
! under their names with P.
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)

module profiled
  implicit none
  integer :: barriers = 0
end module

subroutine MPI_Barrier_f08(comm, ierror)
  use mpi_f08, only: MPI_Comm, PMPI_Barrier
  use profiled
  implicit none
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  barriers = barriers + 1
  call PMPI_Barrier(comm, ierror)
end subroutine

subroutine receive_with_module_mpi(value, source)
  use mpi
  implicit none
  integer :: value, source, ierr
  call MPI_Recv(value, 1, MPI_INTEGER, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
end subroutine

program profiling
  use mpi_f08
  use check
  use profiled
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function profiling_sends() bind(C)
      import
    end function
    integer(c_int) function profiling_receives() bind(C)
      import
    end function
  end interface
  integer :: rank, ranks, value, code
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Barrier(MPI_COMM_WORLD, code)
  CHECK(barriers == 2 .and. code == MPI_SUCCESS)
  call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 0, MPI_COMM_WORLD)
  call PMPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 0, MPI_COMM_WORLD)
  call receive_with_module_mpi(value, modulo(rank - 1, ranks))
  CHECK(value == modulo(rank - 1, ranks))
  call PMPI_Recv(value, 1, MPI_INTEGER, modulo(rank - 1, ranks), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  CHECK(profiling_sends() == 1 .and. profiling_receives() == 1)
  call MPI_Finalize()
  call finish_checks()
end program
