! SPDX-License-Identifier: BSD-3-Clause
! Solves A x = b with ScaLAPACK, as solve.c does, which explains the steps.
program solve
  implicit none
  integer, parameter :: n = 500, nb = 32, grid_rows = 2, grid_columns = 2
  integer :: rank, processes, context, rows, columns, row, column
  logical :: good
  external :: blacs_pinfo, blacs_get, blacs_gridinit, blacs_gridinfo, blacs_gridexit, blacs_exit

  good = .true.
  call blacs_pinfo(rank, processes)
  if (processes < grid_rows * grid_columns) then
    if (rank == 0) print '(a, i0, a)', 'solve: there are ', processes, ' processes, and the grid needs 4'
    call blacs_exit(0)
    stop 1
  end if
  call blacs_get(0, 0, context)
  call blacs_gridinit(context, 'Row-major', grid_rows, grid_columns)
  call blacs_gridinfo(context, rows, columns, row, column)
  if (row >= 0) then
    call solve_on_grid
    call blacs_gridexit(context)
  end if
  call blacs_exit(0)
  if (.not. good) stop 1

contains

  ! The right side b = A (1, ..., 1) asks for x = (1, ..., 1).
  subroutine solve_on_grid
    integer :: for_matrix(9), for_vector(9), info, my_rows, my_columns, i, j
    integer, allocatable :: pivots(:)
    double precision, allocatable :: a(:, :), factors(:, :), b(:), x(:), work(:)
    double precision :: norm_a, norm_x, residual, scaled, error
    integer, external :: numroc
    double precision, external :: pdlange
    external :: descinit, pdgesv, pdgemv

    my_rows = numroc(n, nb, row, 0, grid_rows)
    my_columns = numroc(n, nb, column, 0, grid_columns)
    allocate (a(my_rows, my_columns), factors(my_rows, my_columns), b(my_rows), x(my_rows))
    allocate (pivots(my_rows + nb), work(my_rows + my_columns + 2 * nb))
    call descinit(for_matrix, n, n, nb, nb, 0, 0, context, my_rows, info)
    call descinit(for_vector, n, 1, nb, nb, 0, 0, context, my_rows, info)
    b = 0
    do i = 1, my_rows
      do j = 1, my_columns
        a(i, j) = element(global(i, row, grid_rows), global(j, column, grid_columns))
      end do
      if (column == 0) then
        do j = 1, n
          b(i) = b(i) + element(global(i, row, grid_rows), j)
        end do
      end if
    end do
    factors = a
    x = b
    call pdgesv(n, 1, factors, 1, 1, for_matrix, pivots, x, 1, 1, for_vector, info)
    error = 0
    if (column == 0) error = maxval(abs(x - 1))

    norm_a = pdlange('I', n, n, a, 1, 1, for_matrix, work)
    norm_x = pdlange('I', n, 1, x, 1, 1, for_vector, work)
    call pdgemv('N', n, n, -1d0, a, 1, 1, for_matrix, x, 1, 1, for_vector, 1, 1d0, b, 1, 1, for_vector, 1)
    residual = pdlange('I', n, 1, b, 1, 1, for_vector, work)
    scaled = residual / (norm_a * norm_x * n * epsilon(1d0))
    good = info == 0 .and. scaled < 1 .and. error < 1d-10
    if (row == 0 .and. column == 0) then
      print '(3(a, i0), a, i0, a, es9.2, 2a)', 'A x = b, n = ', n, ', on a ', grid_rows, ' x ', grid_columns, &
        ' grid: info = ', info, ', residual |b - A x| / (|A| |x| n eps) =', scaled, ', ', &
        merge('solved', 'WRONG ', good)
    end if
  end subroutine

  double precision function element(i, j)
    integer, intent(in) :: i, j
    element = merge(dble(n), sin(i + 2d0 * j), i == j)
  end function

  ! The global index of a local row or column.
  integer function global(local, place, places)
    integer, intent(in) :: local, place, places
    global = ((local - 1) / nb * places + place) * nb + mod(local - 1, nb) + 1
  end function
end program
