! SPDX-License-Identifier: BSD-3-Clause
! The Fortran examples of the standard's chapter on reductions: a dot product (4.15), products of a vector and a
! distributed matrix (4.16, 4.21), the greatest values and who has them (4.18), and a product of complex numbers by an
! operator of the program (4.20, in C there).
#include "forms.h"

module operators
  implicit none
contains

#ifdef WITH_F08
  subroutine complex_product(invec, inoutvec, len, type)
    use, intrinsic :: iso_c_binding
    use mpi_f08
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: type
    complex(kind(0d0)), pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in * inout
  end subroutine
#else
  subroutine complex_product(in, inout, len, type)
    integer :: len, type
    complex(kind(0d0)) :: in(len), inout(len)
    inout = in * inout
  end subroutine
#endif

end module

program seed_operations
  USE_MPI
  use check
  use operators
  implicit none
  WITH_MPI
  integer, parameter :: m = 7, n = 5
  integer :: rank, ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call dot_product_at_root()
  call vector_times_matrix()
  call greatest()
  call complex_operator()
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  ! Rank r holds the elements m*r+1 to m*r+m of two vectors; element i of either is i.
  subroutine dot_product_at_root()
    real :: a(m), b(m), c, sum
    integer :: i
    a = [(m * rank + i, i = 1, m)]
    b = a
    sum = 0.0
    do i = 1, m
      sum = sum + a(i) * b(i)
    end do
    c = -1
    call MPI_Reduce(sum, c, 1, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      CHECK(c == ranks * m * (ranks * m + 1) * (2 * ranks * m + 1) / 6)
    else
      CHECK(c == -1)
    end if
  end subroutine

  ! Rank r holds the rows m*r+1 to m*r+m of a matrix whose element (i, j) is i + j, and of a vector of ones.
  subroutine vector_times_matrix()
    real :: a(m), b(m, n), c(n), sum(n), expected(n)
    integer :: i, j, rows
    a = 1
    b = reshape([((m * rank + i + j, i = 1, m), j = 1, n)], [m, n])
    do j = 1, n
      sum(j) = 0.0
      do i = 1, m
        sum(j) = sum(j) + a(i) * b(i, j)
      end do
    end do
    rows = ranks * m
    expected = [(rows * (rows + 1) / 2 + rows * j, j = 1, n)]
    c = -1
    call MPI_Reduce(sum, c, n, MPI_REAL, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    CHECK(all(c == merge(expected, -1.0, rank == 0)))
    c = -1
    call MPI_Allreduce(sum, c, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(all(c == expected))
    c = sum
    call MPI_Allreduce(MPI_IN_PLACE, c, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(all(c == expected))
  end subroutine

  ! Rank mod(i, ranks) has the greatest element i.
  subroutine greatest()
    double precision :: ain(30), aout(30), in(2, 30), out(2, 30)
    integer :: ind(30), i
    do i = 1, 30
      ain(i) = merge(100 + i, i - rank, mod(i, ranks) == rank)
      in(1, i) = ain(i)
      in(2, i) = rank
    end do
    call MPI_Reduce(in, out, 30, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      do i = 1, 30
        aout(i) = out(1, i)
        ind(i) = int(out(2, i))
      end do
      CHECK(all(aout == [(100 + i, i = 1, 30)]))
      CHECK(all(ind == [(mod(i, ranks), i = 1, 30)]))
    end if
  end subroutine

  subroutine complex_operator()
    complex(kind(0d0)) :: a(100), answer(100), expected
    OP_T :: my_op
    TYPE_T :: two_reals
    integer :: i
    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, two_reals, ierr)
    call MPI_Type_commit(two_reals, ierr)
    call MPI_Op_create(complex_product, .true., my_op, ierr)
    a = [(cmplx(i, rank + 1, kind(0d0)), i = 1, 100)]
    call MPI_Reduce(a, answer, 100, two_reals, my_op, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      expected = 1
      do i = 1, ranks
        expected = expected * cmplx(3, i, kind(0d0))
      end do
      CHECK(abs(answer(3) - expected) < 1d-9 * abs(expected))
    end if
    call MPI_Allreduce(a, answer, 100, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierr)
    expected = 1
    do i = 1, ranks
      expected = expected * cmplx(100, i, kind(0d0))
    end do
    CHECK(abs(answer(100) - expected) < 1d-9 * abs(expected))
    call MPI_Op_free(my_op, ierr)
    CHECK(my_op == MPI_OP_NULL)
    call MPI_Type_free(two_reals, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

end program
