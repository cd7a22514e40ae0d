! SPDX-License-Identifier: BSD-3-Clause
! Each rank has a block of a grid and exchanges its borders with its neighbours. Rows of a Fortran array do not lie
! together in memory: with mpi_f08 they are passed as they are, and MPI takes each element from its place.
!
! The grid holds the function x + 2y, which the average over the four neighbours of a point leaves unchanged.
program halo
  use mpi_f08
  implicit none
  integer, parameter :: n = 100, steps = 50
  double precision, asynchronous :: grid(0:n + 1, 0:n + 1)
  double precision :: next(n, n), error, greatest, started
  integer :: rank, ranks, dims(2), coords(2), up, down, left, right, step
  type(MPI_Comm) :: cart
  type(MPI_Request) :: requests(8)

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., cart)
  call MPI_Comm_rank(cart, rank)
  call MPI_Cart_coords(cart, rank, 2, coords)
  call MPI_Cart_shift(cart, 0, 1, up, down)
  call MPI_Cart_shift(cart, 1, 1, left, right)

  call fill()
  started = MPI_Wtime()
  do step = 1, steps
    call exchange()
    next = (grid(0:n - 1, 1:n) + grid(2:n + 1, 1:n) + grid(1:n, 0:n - 1) + grid(1:n, 2:n + 1)) / 4
    grid(1:n, 1:n) = next
  end do
  error = maxval(abs(grid(1:n, 1:n) - block_of_function()))
  call MPI_Reduce(error, greatest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, cart)
  if (rank == 0) then
    print '(a, i0, a, i0, a, i0, a, f0.1, a)', "halo: ", steps, " exchanges on a grid of ", dims(1), " x ", dims(2), &
        " ranks took ", 1d6 * (MPI_Wtime() - started) / steps, " us each"
    if (greatest > 0) error stop "halo: a value that a neighbour sent is wrong"
    print '(a)', "halo: every point has its value"
  end if
  call MPI_Finalize()

contains

  ! The borders that have no neighbour keep their values.
  subroutine exchange()
    call MPI_Irecv(grid(0, 1:n), n, MPI_DOUBLE_PRECISION, up, 0, cart, requests(1))
    call MPI_Irecv(grid(n + 1, 1:n), n, MPI_DOUBLE_PRECISION, down, 1, cart, requests(2))
    call MPI_Irecv(grid(1:n, 0), n, MPI_DOUBLE_PRECISION, left, 2, cart, requests(3))
    call MPI_Irecv(grid(1:n, n + 1), n, MPI_DOUBLE_PRECISION, right, 3, cart, requests(4))
    call MPI_Isend(grid(n, 1:n), n, MPI_DOUBLE_PRECISION, down, 0, cart, requests(5))
    call MPI_Isend(grid(1, 1:n), n, MPI_DOUBLE_PRECISION, up, 1, cart, requests(6))
    call MPI_Isend(grid(1:n, n), n, MPI_DOUBLE_PRECISION, right, 2, cart, requests(7))
    call MPI_Isend(grid(1:n, 1), n, MPI_DOUBLE_PRECISION, left, 3, cart, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
  end subroutine

  double precision function value(i, j)
    integer, intent(in) :: i, j
    value = (coords(1) * n + i) + 2 * (coords(2) * n + j)
  end function

  function block_of_function() result(block)
    double precision :: block(n, n)
    integer :: i, j
    block = reshape([((value(i, j), i = 1, n), j = 1, n)], [n, n])
  end function

  ! Its own points, and the outer border of the whole grid; what neighbours have arrives by messages.
  subroutine fill()
    integer :: i
    grid = -1
    grid(1:n, 1:n) = block_of_function()
    do i = 1, n
      if (up == MPI_PROC_NULL) grid(0, i) = value(0, i)
      if (down == MPI_PROC_NULL) grid(n + 1, i) = value(n + 1, i)
      if (left == MPI_PROC_NULL) grid(i, 0) = value(i, 0)
      if (right == MPI_PROC_NULL) grid(i, n + 1) = value(i, n + 1)
    end do
  end subroutine

end program
