! SPDX-License-Identifier: BSD-3-Clause
! Sections of arrays as buffers of collective operations: blocks of equal and of different lengths that end anywhere in
! a section, reductions with different sections on both sides, in place, non-blocking and persistent.
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)

module section_operators
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: expected_type
  integer :: calls = 0, wrong_types = 0
contains
  ! Not commutative: the digits of one operand, then those of the other.
  subroutine append(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer(c_int64_t), pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = in * 10_c_int64_t**(1 + floor(log10(real(inout)))) + inout
    calls = calls + 1
    if (datatype /= expected_type) wrong_types = wrong_types + 1
  end subroutine
end module

program sections_collective
  use mpi_f08
  use check
  use section_operators
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: rows = 5, columns = 60, untouched = -7
  integer :: rank, ranks
  integer, asynchronous :: a(2 * rows, columns), b(2 * rows, columns)
  integer :: expected(2 * rows, columns)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call broadcast()
  call equal_blocks()
  call different_blocks()
  call different_types()
  call reductions()
  call own_operator()
  call pairs()
  call scattered_reductions()
  call local_reduction()
  call packing()
  call neighbours()
  call MPI_Finalize()
  call finish_checks()

contains

  elemental integer function element(i, owner)
    integer, intent(in) :: i, owner
    element = 1000 * owner + i
  end function

  ! Sets the elements of a section, in the order of memory, from number `first` on.
  subroutine put(section, first, values)
    integer, intent(inout) :: section(:, :)
    integer, intent(in) :: first, values(:)
    integer :: i, place
    do i = 1, size(values)
      place = first + i - 2
      section(1 + mod(place, size(section, 1)), 1 + place / size(section, 1)) = values(i)
    end do
  end subroutine

  subroutine fill()
    integer :: i
    a = -1
    call put(a(1::2, :), 1, [(element(i, rank), i = 1, rows * columns)])
    b = untouched
    expected = untouched
  end subroutine

  subroutine broadcast()
    type(MPI_Request) :: request
    integer :: i, root
    do root = 0, ranks - 1
      call fill()
      if (rank == root) then
        call MPI_Bcast(a(1::2, 3::4), 13, MPI_INTEGER, root, MPI_COMM_WORLD)
      else
        call MPI_Bcast(b(2::3, :), 13, MPI_INTEGER, root, MPI_COMM_WORLD)
        call put(expected(2::3, :), 1, [(element(1 + mod(i, rows) + rows * (2 + 4 * (i / rows)), root), i = 0, 12)])
        CHECK(all(b == expected))
      end if
      call MPI_Ibcast(b(10:1:-3, :), 7, MPI_INTEGER, root, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      CHECK(rank == root .or. all(b(8:9, :) == expected(8:9, :)))
    end do
  end subroutine

  ! Blocks of three elements, while a column has five.
  subroutine equal_blocks()
    type(MPI_Request) :: request
    integer :: i, r
    call fill()
    call MPI_Gather(a(1::2, 1:2), 3, MPI_INTEGER, b(2::2, :), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) then
      do r = 0, ranks - 1
        call put(expected(2::2, :), 1 + 3 * r, [(element(i, r), i = 1, 3)])
      end do
    end if
    CHECK(all(b == expected))

    call fill()
    call MPI_Scatter(a(1::2, :), 3, MPI_INTEGER, b(10:1:-2, 7:), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call put(expected(10:1:-2, 7:), 1, [(element(3 * rank + i, 0), i = 1, 3)])
    CHECK(all(b == expected))

    call fill()
    call MPI_Allgather(a(1::2, :), 3, MPI_INTEGER, b(2::2, ::3), 3, MPI_INTEGER, MPI_COMM_WORLD)
    do r = 0, ranks - 1
      call put(expected(2::2, ::3), 1 + 3 * r, [(element(i, r), i = 1, 3)])
    end do
    CHECK(all(b == expected))
    ! In place: each rank's own block is there.
    b = untouched
    call put(b(2::2, ::3), 1 + 3 * rank, [(element(i, rank), i = 1, 3)])
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b(2::2, ::3), 3, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(b == expected))

    call fill()
    call MPI_Alltoall(a(1::2, :), 3, MPI_INTEGER, b(2::2, ::2), 3, MPI_INTEGER, MPI_COMM_WORLD)
    do r = 0, ranks - 1
      call put(expected(2::2, ::2), 1 + 3 * r, [(element(3 * rank + i, r), i = 1, 3)])
    end do
    CHECK(all(b == expected))
  end subroutine

  ! Rank r has r + 2 elements, with gaps of three between the blocks.
  subroutine different_blocks()
    integer, asynchronous :: counts(ranks), places(ranks)
    type(MPI_Request) :: request
    integer :: i, r, round
    counts = [(r + 2, r = 0, ranks - 1)]
    places = [(7 * r, r = 0, ranks - 1)]

    call fill()
    call MPI_Gatherv(a(1::2, 2::3), rank + 2, MPI_INTEGER, b(2::2, :), counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
    if (rank == 0) call put_gathered(expected(2::2, :))
    CHECK(all(b == expected))
    call fill()
    call MPI_Allgatherv(a(1::2, 2::3), rank + 2, MPI_INTEGER, b(2::2, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call put_gathered(expected(2::2, :))
    CHECK(all(b == expected))
    call fill()
    call MPI_Iallgatherv(a(1::2, 2::3), rank + 2, MPI_INTEGER, b(2::2, :), counts, places, MPI_INTEGER, &
        MPI_COMM_WORLD, request)
    call put_gathered(expected(2::2, :))
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(b == expected))

    call fill()
    call MPI_Scatterv(a(1::2, :), counts, places, MPI_INTEGER, b(1::4, :), rank + 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call put(expected(1::4, :), 1, [(element(7 * rank + i, 0), i = 1, rank + 2)])
    CHECK(all(b == expected))

    call fill()
    call MPI_Alltoallv_init(a(1::2, :), counts, places, MPI_INTEGER, b(2::2, ::2), [(rank + 2, r = 1, ranks)], &
        places, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, request)
    do round = 1, 2
      call fill()
      call MPI_Start(request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      do r = 0, ranks - 1
        call put(expected(2::2, ::2), 1 + places(r + 1), [(element(places(rank + 1) + i, r), i = 1, rank + 2)])
      end do
      CHECK(all(b == expected))
    end do
    call MPI_Request_free(request)
  end subroutine

  subroutine put_gathered(section)
    integer, intent(inout) :: section(:, :)
    integer :: i, r
    do r = 0, ranks - 1
      call put(section, 1 + 7 * r, [(element(rows + i + 2 * rows * ((i - 1) / rows), r), i = 1, r + 2)])
    end do
  end subroutine

  subroutine different_types()
    type(MPI_Datatype) :: types(ranks), received(ranks), every_other
    integer :: counts(ranks), places(ranks), sizes(ranks), i, r
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, every_other)
    call MPI_Type_commit(every_other)
    ! To even ranks elements 1 and 3 of a block, to odd ranks all three; in bytes of the section.
    do r = 0, ranks - 1
      types(r + 1) = merge_types(mod(r, 2) == 0, every_other, MPI_INTEGER)
      counts(r + 1) = merge(1, 3, mod(r, 2) == 0)
    end do
    received = MPI_INTEGER
    sizes = merge(2, 3, mod(rank, 2) == 0)
    places = [(4 * 4 * r, r = 0, ranks - 1)]
    call fill()
    call MPI_Alltoallw(a(1::2, :), counts, places, types, b(2::2, ::3), sizes, places, received, MPI_COMM_WORLD)
    do r = 0, ranks - 1
      if (mod(rank, 2) == 0) then
        call put(expected(2::2, ::3), 1 + 4 * r, [(element(4 * rank + i, r), i = 1, 3, 2)])
      else
        call put(expected(2::2, ::3), 1 + 4 * r, [(element(4 * rank + i, r), i = 1, 3)])
      end if
    end do
    CHECK(all(b == expected))
    call MPI_Type_free(every_other)
  end subroutine

  type(MPI_Datatype) function merge_types(first, one, other)
    logical, intent(in) :: first
    type(MPI_Datatype), intent(in) :: one, other
    merge_types = other
    if (first) merge_types = one
  end function

  subroutine reductions()
    type(MPI_Request) :: request
    integer :: sums(13), i
    sums = [(ranks * i + 1000 * (ranks * (ranks - 1)) / 2, i = 1, 13)]
    ! Two different sections.
    call fill()
    call MPI_Reduce(a(1::2, :), b(10:1:-3, :), 13, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) call put(expected(10:1:-3, :), 1, sums)
    CHECK(all(b == expected))
    call fill()
    call MPI_Allreduce(a(1::2, :), b(10:1:-3, :), 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call put(expected(10:1:-3, :), 1, sums)
    CHECK(all(b == expected))
    call fill()
    call MPI_Iallreduce(a(1::2, :), b(10:1:-3, :), 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    call put(expected(10:1:-3, :), 1, sums)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(b == expected))
    ! One side contiguous, the other not; in place.
    block
      integer, asynchronous :: flat(13)
      call fill()
      call MPI_Allreduce(a(1::2, :), flat, 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      CHECK(all(flat == sums))
      flat = [(element(i, rank), i = 1, 13)]
      call MPI_Allreduce(flat, b(1:9:4, :), 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      call put(expected(1:9:4, :), 1, sums)
      CHECK(all(b == expected))
    end block
    call fill()
    call put(b(2::4, ::2), 1, [(element(i, rank), i = 1, 13)])
    call MPI_Allreduce(MPI_IN_PLACE, b(2::4, ::2), 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call put(expected(2::4, ::2), 1, sums)
    CHECK(all(b == expected))

    call fill()
    call MPI_Scan(a(1::2, :), b(2::3, :), 13, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call put(expected(2::3, :), 1, [(element(i, rank), i = 1, 13)])
    CHECK(all(b == expected))
    call fill()
    call MPI_Exscan(a(1::2, :), b(2::3, :), 13, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    if (rank > 0) call put(expected(2::3, :), 1, [(element(i, rank - 1), i = 1, 13)])
    CHECK(all(b == expected))
  end subroutine

  ! The function gets elements that follow each other, and the datatype of the call.
  subroutine own_operator()
    integer(c_int64_t), asynchronous :: from(3, 8), to(4, 8)
    integer(c_int64_t) :: all_ranks
    type(MPI_Request) :: request
    type(MPI_Op) :: op
    integer :: r
    call MPI_Op_create(append, .false., op)
    expected_type = MPI_INTEGER8
    all_ranks = 0
    do r = 0, ranks - 1
      all_ranks = all_ranks * 10 + 1 + mod(r, 9)
    end do
    from = 1 + mod(rank, 9)
    to = untouched
    call MPI_Allreduce(from(1:3:2, :), to(2:4:2, :), 16, MPI_INTEGER8, op, MPI_COMM_WORLD)
    CHECK(all(to(2:4:2, :) == all_ranks) .and. all(to(1:3:2, :) == untouched))
    to = untouched
    call MPI_Iallreduce(from(1:3:2, :), to(1:3:2, :), 15, MPI_INTEGER8, op, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(to(1:3:2, 1:7) == all_ranks) .and. to(1, 8) == all_ranks .and. to(3, 8) == untouched)
    CHECK(wrong_types == 0 .and. (ranks == 1 .or. calls > 0))
    call MPI_Op_free(op)
  end subroutine

  ! A value and an index are two elements: of one column of the section, or far from each other.
  subroutine pairs()
    double precision :: in(2, 12), out(2, 12), apart(5, 12)
    integer :: i
    in(1, :) = [(mod(i + rank, ranks), i = 1, 12)]
    in(2, :) = rank
    out = untouched
    call MPI_Allreduce(in(:, 1:12:3), out(:, 2:12:3), 4, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
    CHECK(all(out(1, 2:12:3) == ranks - 1) .and. all(out(:, 1:12:3) == untouched))
    CHECK(all(out(2, 2:12:3) == [(modulo(ranks - 1 - i, ranks), i = 1, 12, 3)]))
    apart = untouched
    apart(1, :) = in(1, :)
    apart(4, :) = in(2, :)
    call MPI_Allreduce(MPI_IN_PLACE, apart(1:4:3, :), 12, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD)
    CHECK(all(apart(1, :) == ranks - 1) .and. all(apart(2:3, :) == untouched) .and. all(apart(5, :) == untouched))
    CHECK(all(apart(4, :) == [(modulo(ranks - 1 - i, ranks), i = 1, 12)]))
  end subroutine

  subroutine scattered_reductions()
    type(MPI_Request) :: request
    integer, asynchronous :: counts(ranks)
    integer :: i, r, before
    counts = [(r + 1, r = 0, ranks - 1)]
    before = rank * (rank + 1) / 2
    call fill()
    call MPI_Reduce_scatter_block(a(1::2, :), b(2::2, ::2), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call put(expected(2::2, ::2), 1, [(element(3 * rank + i, ranks - 1), i = 1, 3)])
    CHECK(all(b == expected))
    call fill()
    call MPI_Ireduce_scatter(a(1::2, :), b(2::2, ::2), counts, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call put(expected(2::2, ::2), 1, [(element(before + i, ranks - 1), i = 1, rank + 1)])
    CHECK(all(b == expected))
  end subroutine

  subroutine local_reduction()
    integer :: i
    call fill()
    call put(b(1::3, :), 1, [(i, i = 1, 11)])
    call MPI_Reduce_local(a(1::2, :), b(1::3, :), 11, MPI_INTEGER, MPI_SUM)
    call put(expected(1::3, :), 1, [(element(i, rank) + i, i = 1, 11)])
    CHECK(all(b == expected))
  end subroutine

  ! Both the data and the packed bytes lie in sections.
  subroutine packing()
    character :: bytes(3, 200)
    integer :: position, size, i
    integer(MPI_ADDRESS_KIND) :: place, length
    call fill()
    bytes = "."
    position = 2
    call MPI_Pack(a(1::2, :), 12, MPI_INTEGER, bytes(2, :), 200, position, MPI_COMM_WORLD)
    call MPI_Pack(a(1, 7), 1, MPI_INTEGER, bytes(2, :), 200, position, MPI_COMM_WORLD)
    CHECK(position == 54)
    CHECK(all(bytes(1, :) == ".") .and. all(bytes(3, :) == ".") .and. all(bytes(2, 1:2) == "."))
    CHECK(all(bytes(2, 55:) == "."))
    position = 2
    call MPI_Unpack(bytes(2, :), 200, position, b(10:1:-2, ::2), 12, MPI_INTEGER, MPI_COMM_WORLD)
    call MPI_Unpack(bytes(2, :), 200, position, b(1, 1), 1, MPI_INTEGER, MPI_COMM_WORLD)
    CHECK(position == 54)
    call put(expected(10:1:-2, ::2), 1, [(element(i, rank), i = 1, 12)])
    expected(1, 1) = a(1, 7)
    CHECK(all(b == expected))
    call MPI_Pack_size(12, MPI_INTEGER, MPI_COMM_WORLD, size)
    CHECK(size >= 48)

    call fill()
    bytes = "."
    place = 0
    call MPI_Pack_external_size("external32", 12, MPI_INTEGER, length)
    CHECK(length == 48)
    call MPI_Pack_external("external32", a(1::2, :), 12, MPI_INTEGER, bytes(2, :), 200_MPI_ADDRESS_KIND, place)
    CHECK(place == 48)
    CHECK(ichar(bytes(2, 4)) == mod(element(1, rank), 256) .and. ichar(bytes(2, 1)) == 0)
    place = 0
    call MPI_Unpack_external("external32  ", bytes(2, :), 200_MPI_ADDRESS_KIND, place, b(10:1:-2, ::2), 12, MPI_INTEGER)
    call put(expected(10:1:-2, ::2), 1, [(element(i, rank), i = 1, 12)])
    CHECK(all(b == expected))
  end subroutine

  subroutine neighbours()
    type(MPI_Comm) :: ring
    type(MPI_Datatype) :: types(2)
    integer(MPI_ADDRESS_KIND) :: places(2)
    integer :: left, right, i
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring)
    call MPI_Cart_shift(ring, 0, 1, left, right)
    call fill()
    call MPI_Neighbor_allgather(a(1::2, :), 4, MPI_INTEGER, b(2::2, :), 4, MPI_INTEGER, ring)
    call put(expected(2::2, :), 1, [(element(i, left), i = 1, 4)])
    call put(expected(2::2, :), 5, [(element(i, right), i = 1, 4)])
    CHECK(all(b == expected))
    call fill()
    types = MPI_INTEGER
    places = [0, 28]
    call MPI_Neighbor_alltoallw(a(1::2, :), [4, 4], places, types, b(2::2, ::3), [4, 4], places, types, ring)
    ! What a process sends to its right arrives from the left.
    call put(expected(2::2, ::3), 1, [(element(7 + i, left), i = 1, 4)])
    call put(expected(2::2, ::3), 8, [(element(i, right), i = 1, 4)])
    CHECK(all(b == expected))
    call MPI_Comm_free(ring)
  end subroutine

end program
