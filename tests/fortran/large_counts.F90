! SPDX-License-Identifier: BSD-3-Clause
! The generic names of mpi_f08 take counts of either kind.
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)

module large_operator
  use mpi_f08
  implicit none
  integer(MPI_COUNT_KIND) :: longest = 0
contains
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in + inout
    if (datatype == MPI_INTEGER) longest = max(longest, len)
  end subroutine
end module

program large_counts
  use mpi_f08
  use check
  use large_operator
  implicit none
  integer, parameter :: wide = MPI_COUNT_KIND
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call messages()
  call collectives()
  call types()
  call operators()
  call sections()
  call MPI_Finalize()
  call finish_checks()

contains

  subroutine messages()
    integer :: mine(4), got(4), small
    integer(wide) :: count
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    mine = rank
    call MPI_Isend(mine, 4_wide, MPI_INTEGER, modulo(rank + 1, ranks), 0, MPI_COMM_WORLD, request)
    call MPI_Recv(got, 4_wide, MPI_INTEGER, modulo(rank - 1, ranks), 0, MPI_COMM_WORLD, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(got == modulo(rank - 1, ranks)))
    call MPI_Get_count(status, MPI_INTEGER, count)
    call MPI_Get_count(status, MPI_INTEGER, small)
    CHECK(count == 4 .and. small == 4)
    call MPI_Status_set_elements(status, MPI_BYTE, 2_wide**40)
    call MPI_Get_elements(status, MPI_BYTE, count)
    call MPI_Get_elements(status, MPI_BYTE, small)
    CHECK(count == 2_wide**40 .and. small == MPI_UNDEFINED)
    call MPI_Get_elements_x(status, MPI_BYTE, count)
    CHECK(count == 2_wide**40)
  end subroutine

  subroutine collectives()
    integer(wide) :: counts(ranks)
    integer(MPI_ADDRESS_KIND) :: places(ranks)
    integer :: all_of_them(ranks), sum, i
    counts = 1
    places = [(ranks - i, i = 1, ranks)]
    call MPI_Allgatherv([rank], 1_wide, MPI_INTEGER, all_of_them, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK(all(all_of_them == [(ranks - i, i = 1, ranks)]))
    call MPI_Allreduce(rank, sum, 1_wide, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    CHECK(sum == ranks * (ranks - 1) / 2)
  end subroutine

  subroutine types()
    type(MPI_Datatype) :: type, parts(1)
    integer(wide) :: size, lb, extent, numbers(1), ni, na, nc, nt
    integer(MPI_ADDRESS_KIND) :: places(1)
    integer :: small, combiner, integers(1)
    call MPI_Type_contiguous(2_wide**33, MPI_INTEGER, type)
    call MPI_Type_size(type, size)
    call MPI_Type_size(type, small)
    CHECK(size == 2_wide**35 .and. small == MPI_UNDEFINED)
    call MPI_Type_size_x(type, size)
    CHECK(size == 2_wide**35)
    call MPI_Type_get_extent(type, lb, extent)
    CHECK(lb == 0 .and. extent == 2_wide**35)
    call MPI_Type_get_envelope(type, ni, na, nc, nt, combiner)
    CHECK(ni == 0 .and. nc == 1 .and. nt == 1 .and. combiner == MPI_COMBINER_CONTIGUOUS)
    call MPI_Type_get_contents(type, ni, na, nc, nt, integers, places, numbers, parts)
    CHECK(numbers(1) == 2_wide**33 .and. parts(1) == MPI_INTEGER)
    call MPI_Type_free(type)
  end subroutine

  subroutine operators()
    type(MPI_Op) :: op
    integer :: sums(3)
    call MPI_Op_create_c(add, .true., op)
    call MPI_Allreduce([1, rank, 3], sums, 3, MPI_INTEGER, op, MPI_COMM_WORLD)
    CHECK(all(sums == [ranks, ranks * (ranks - 1) / 2, 3 * ranks]))
    CHECK(ranks == 1 .or. longest > 0)
    call MPI_Op_free(op)
  end subroutine

  subroutine sections()
    integer, asynchronous :: a(3, 4), b(3, 4)
    type(MPI_Request) :: request
    integer(wide) :: position
    character :: bytes(2, 100)
    integer :: i
    a = reshape([(i, i = 1, 12)], [3, 4])
    b = 0
    call MPI_Isend(a(1::2, :), 6_wide, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request)
    call MPI_Recv(b(:, 1::3), 8_wide, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(reshape(b(:, 1::3), [6]) == [1, 3, 4, 6, 7, 9]))
    position = 0
    call MPI_Pack(a(2, :), 4_wide, MPI_INTEGER, bytes(1, :), 100_wide, position, MPI_COMM_SELF)
    CHECK(position == 16)
    position = 0
    b = 0
    call MPI_Unpack(bytes(1, :), 100_wide, position, b(1, :), 4_wide, MPI_INTEGER, MPI_COMM_SELF)
    CHECK(all(b(1, :) == [2, 5, 8, 11]))
  end subroutine

end program
