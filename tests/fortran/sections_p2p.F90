! SPDX-License-Identifier: BSD-3-Clause
! Sections of arrays as buffers of point-to-point functions (MPI-5.0, section 19.1.12): strided, with negative strides,
! of components and of substrings. What is received lies in the elements of the section, and nowhere else.
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)

program sections_p2p
  use mpi_f08
  use check
  implicit none
  type :: particle
    sequence
    integer :: i
    real :: x
    double precision :: y
  end type
  integer :: rank, ranks, next, before
  integer, asynchronous :: a(8, 10), b(8, 10)
  integer, parameter :: untouched = -7

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  CHECK(MPI_SUBARRAYS_SUPPORTED)
  CHECK(MPI_ASYNC_PROTECTS_NONBLOCKING)
  call one_dimension()
  call two_dimensions()
  call fewer_elements()
  call components()
  call substrings()
  call other_datatypes()
  call long_messages()
  call modes()
  call persistent()
  call partitioned()
  call matched()
  call exchanges()
  call pointers()
  call must_be_contiguous()
  call MPI_Finalize()
  call finish_checks()

contains

  ! Elements that differ from those of every other rank.
  elemental integer function element(i, j, owner)
    integer, intent(in) :: i, j, owner
    element = 10000 * owner + 100 * i + j
  end function

  subroutine fill()
    integer :: i, j
    a = reshape([((element(i, j, rank), i = 1, 8), j = 1, 10)], shape(a))
    b = untouched
  end subroutine

  function elements_of(owner) result(all)
    integer, intent(in) :: owner
    integer :: all(8, 10), i, j
    all = reshape([((element(i, j, owner), i = 1, 8), j = 1, 10)], shape(all))
  end function

  subroutine one_dimension()
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    integer :: count
    call fill()
    theirs = elements_of(before)
    call MPI_Irecv(b(3, 10:1:-3), 4, MPI_INTEGER, before, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(a(2:8:2, 5), 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    expected = untouched
    expected(3, 10:1:-3) = theirs(2:8:2, 5)
    CHECK(all(b == expected))
    call MPI_Get_count(statuses(1), MPI_INTEGER, count)
    CHECK(count == 4)
    CHECK(statuses(1)%MPI_SOURCE == before .and. statuses(1)%MPI_TAG == 1)
  end subroutine

  subroutine two_dimensions()
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Request) :: request
    call fill()
    theirs = elements_of(before)
    call MPI_Isend(a(2:7:2, 3:9:3), 9, MPI_INTEGER, next, 2, MPI_COMM_WORLD, request)
    call MPI_Recv(b(1:8:3, 9:1:-4), 9, MPI_INTEGER, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = untouched
    expected(1:8:3, 9:1:-4) = theirs(2:7:2, 3:9:3)
    CHECK(all(b == expected))

    ! Whole columns, of which each is contiguous.
    call fill()
    call MPI_Isend(a(:, 2:10:4), 24, MPI_INTEGER, next, 2, MPI_COMM_WORLD, request)
    call MPI_Recv(b(:, 1:9:4), 24, MPI_INTEGER, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = untouched
    expected(:, 1:9:4) = theirs(:, 2:10:4)
    CHECK(all(b == expected))
  end subroutine

  ! The count is no multiple of a column.
  subroutine fewer_elements()
    integer :: expected(8, 10), theirs(8, 10), packed(9)
    type(MPI_Request) :: request
    call fill()
    theirs = elements_of(before)
    call MPI_Isend(a(2:7:2, 3:9:3), 7, MPI_INTEGER, next, 3, MPI_COMM_WORLD, request)
    call MPI_Recv(b(1:5:2, 1:4), 9, MPI_INTEGER, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    packed = reshape(theirs(2:7:2, 3:9:3), [9])
    expected = untouched
    expected(1:5:2, 1) = packed(1:3)
    expected(1:5:2, 2) = packed(4:6)
    expected(1, 3) = packed(7)
    CHECK(all(b == expected))
  end subroutine

  subroutine components()
    type(particle), asynchronous :: q(12), p(12)
    type(MPI_Request) :: requests(2)
    integer :: i
    do i = 1, 12
      q(i) = particle(element(i, 0, rank), 0.5 * i, 0.25d0 * i)
      p(i) = particle(untouched, untouched, untouched)
    end do
    call MPI_Irecv(p(2:12:2)%i, 6, MPI_INTEGER, before, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(q(1:6)%i, 6, MPI_INTEGER, next, 4, MPI_COMM_WORLD, requests(2))
    CHECK(all(p%x == untouched))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    CHECK(all(p(2:12:2)%i == [(element(i, 0, before), i = 1, 6)]))
    CHECK(all(p(1:11:2)%i == untouched))
    CHECK(all(p%x == untouched) .and. all(p%y == untouched))

    call MPI_Irecv(p%y, 12, MPI_DOUBLE_PRECISION, before, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(q%y, 12, MPI_DOUBLE_PRECISION, next, 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    CHECK(all(p%y == q%y) .and. all(p%x == untouched))
  end subroutine

  subroutine substrings()
    character(len=8), asynchronous :: words(6), heard(6)
    type(MPI_Request) :: requests(2)
    integer :: i
    do i = 1, 6
      write (words(i), '(i4.4, i4.4)') i, rank
    end do
    heard = "........"
    call MPI_Irecv(heard(:)(3:6), 24, MPI_CHARACTER, before, 5, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(words(:)(3:6), 24, MPI_CHARACTER, next, 5, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    CHECK(all(heard(:)(3:4) == words(:)(3:4)))
    CHECK(all(heard(:)(1:2) == "..") .and. all(heard(:)(7:8) == ".."))
  end subroutine

  ! Datatypes that are shorter or longer than the elements of the section, or have holes.
  subroutine other_datatypes()
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Request) :: request
    type(MPI_Datatype) :: pairs, every_other
    integer :: flat(9), i
    call fill()
    theirs = elements_of(before)
    ! Bytes of elements.
    call MPI_Isend(a(1:8:2, 1:2), 32, MPI_BYTE, next, 6, MPI_COMM_WORLD, request)
    call MPI_Recv(b(2:8:2, 1:2), 32, MPI_BYTE, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = untouched
    expected(2:8:2, 1:2) = theirs(1:8:2, 1:2)
    CHECK(all(b == expected))

    ! Pairs of elements that are far from each other.
    call MPI_Type_contiguous(2, MPI_INTEGER, pairs)
    call MPI_Type_commit(pairs)
    call fill()
    call MPI_Isend(a(1:5:2, 4:6), 4, pairs, next, 6, MPI_COMM_WORLD, request)
    call MPI_Recv(b(4:8:2, 1:3), 8, MPI_INTEGER, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    flat = reshape(theirs(1:5:2, 4:6), [9])
    flat(9) = untouched
    expected = untouched
    expected(4:8:2, 1:3) = reshape(flat, [3, 3])
    CHECK(all(b == expected))

    ! Elements 1, 3 and 5 of the section, then 6, 8 and 10 (a vector's extent ends with its last element).
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, every_other)
    call MPI_Type_commit(every_other)
    call fill()
    call MPI_Isend(a(1:8:2, 1:10:3), 2, every_other, next, 6, MPI_COMM_WORLD, request)
    call MPI_Recv(b(8, 1:10), 10, MPI_INTEGER, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    associate (sent => reshape(theirs(1:8:2, 1:10:3), [16]))
      CHECK(all(b(8, 1:6) == sent([1, 3, 5, 6, 8, 10])))
      CHECK(all(b(8, 7:10) == untouched) .and. all(b(1:7, :) == untouched))
      b = untouched
      call MPI_Isend(a(:, 1), 6, MPI_INTEGER, next, 6, MPI_COMM_WORLD, request)
      call MPI_Recv(b(1:8:2, 1:10:3), 2, every_other, before, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      expected = untouched
      do i = 1, 6
        call set(expected(1:8:2, 1:10:3), [1, 3, 5, 6, 8, 10], theirs(1:6, 1))
      end do
      CHECK(all(b == expected))
    end associate
    call MPI_Type_free(pairs)
    call MPI_Type_free(every_other)
  end subroutine

  ! Sets elements of a matrix, counted in the order of memory.
  subroutine set(matrix, places, values)
    integer, intent(inout) :: matrix(:, :)
    integer, intent(in) :: places(:), values(:)
    integer :: i
    do i = 1, size(places)
      matrix(1 + mod(places(i) - 1, size(matrix, 1)), 1 + (places(i) - 1) / size(matrix, 1)) = values(i)
    end do
  end subroutine

  ! Long enough for every protocol; blocks of one element, of some and of kilobytes.
  subroutine long_messages()
    double precision, allocatable, asynchronous :: from(:, :), to(:, :)
    type(MPI_Request) :: requests(2)
    integer :: step, length, i, j
    integer, parameter :: lengths(3) = [1000, 33, 600]
    do step = 1, 3
      length = lengths(step)
      allocate (from(1200, 500), to(1200, 500))
      from = reshape([((i + 10000d0 * j + 0.5d0 * rank, i = 1, 1200), j = 1, 500)], shape(from))
      to = untouched
      call MPI_Irecv(to(2:length + 1, 2:500:2), length * 250, MPI_DOUBLE_PRECISION, before, 7, MPI_COMM_WORLD, &
          requests(1))
      if (step < 3) then
        call MPI_Isend(from(1:length, 1:500:2), length * 250, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, &
            requests(2))
      else
        call MPI_Isend(from(1:1199:2, 1:500:2), length * 250, MPI_DOUBLE_PRECISION, next, 7, MPI_COMM_WORLD, &
            requests(2))
      end if
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      from = from + 0.5d0 * (before - rank)
      if (step < 3) then
        CHECK(all(to(2:length + 1, 2:500:2) == from(1:length, 1:500:2)))
      else
        CHECK(all(to(2:length + 1, 2:500:2) == from(1:1199:2, 1:500:2)))
      end if
      CHECK(all(to(:, 1:499:2) == untouched) .and. all(to(1, :) == untouched))
      CHECK(all(to(length + 2:, :) == untouched))
      deallocate (from, to)
    end do
  end subroutine

  subroutine modes()
    character :: memory(4096)
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Request) :: request, sends(3)
    call fill()
    theirs = elements_of(before)
    call MPI_Buffer_attach(memory, 4096)
    call MPI_Bsend(a(8:1:-2, 1), 4, MPI_INTEGER, next, 8, MPI_COMM_WORLD)
    call MPI_Ibsend(a(8:1:-2, 2), 4, MPI_INTEGER, next, 8, MPI_COMM_WORLD, sends(1))
    call MPI_Issend(a(8:1:-2, 3), 4, MPI_INTEGER, next, 8, MPI_COMM_WORLD, sends(2))
    call MPI_Recv(b(1:7:2, 1), 4, MPI_INTEGER, before, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(b(1:7:2, 2), 4, MPI_INTEGER, before, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Recv(b(1:7:2, 3), 4, MPI_INTEGER, before, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Irecv(b(1:7:2, 4), 4, MPI_INTEGER, before, 9, MPI_COMM_WORLD, request)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Irsend(a(8:1:-2, 4), 4, MPI_INTEGER, next, 9, MPI_COMM_WORLD, sends(3))
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Waitall(3, sends, MPI_STATUSES_IGNORE)
    expected = untouched
    expected(1:7:2, 1:4) = theirs(8:1:-2, 1:4)
    CHECK(all(b == expected))
    block
      use, intrinsic :: iso_c_binding
      type(c_ptr) :: address
      integer :: size
      call MPI_Buffer_detach(address, size)
      CHECK(size == 4096)
    end block
  end subroutine

  subroutine persistent()
    integer :: expected(8, 10), theirs(8, 10), round
    type(MPI_Request) :: requests(2)
    call fill()
    call MPI_Send_init(a(1:8:3, 1:10:2), 15, MPI_INTEGER, next, 10, MPI_COMM_WORLD, requests(1))
    call MPI_Recv_init(b(2:6:2, 2:10:2), 15, MPI_INTEGER, before, 10, MPI_COMM_WORLD, requests(2))
    do round = 1, 3
      a = elements_of(rank) + round
      b = untouched
      theirs = elements_of(before) + round
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      expected = untouched
      expected(2:6:2, 2:10:2) = theirs(1:8:3, 1:10:2)
      CHECK(all(b == expected))
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine partitioned()
    integer :: expected(8, 10), theirs(8, 10), partition
    type(MPI_Request) :: requests(2)
    call fill()
    theirs = elements_of(before)
    ! Five partitions of three elements, while a column of the section has four.
    call MPI_Psend_init(a(1:8:2, 1:10:3), 5, 3_MPI_COUNT_KIND, MPI_INTEGER, next, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &
        requests(1))
    call MPI_Precv_init(b(2:8:2, 2:8:2), 3, 5_MPI_COUNT_KIND, MPI_INTEGER, before, 11, MPI_COMM_WORLD, MPI_INFO_NULL, &
        requests(2))
    call MPI_Startall(2, requests)
    do partition = 4, 0, -1
      call MPI_Pready(partition, requests(1))
    end do
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    expected = untouched
    expected(2:8:2, 2:8:2) = theirs(1:8:2, 1:10:3)
    expected(8, 8) = untouched
    CHECK(all(b == expected))
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
  end subroutine

  subroutine matched()
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Message) :: message
    type(MPI_Request) :: request, sends(2)
    call fill()
    theirs = elements_of(before)
    call MPI_Isend(a(4, :), 10, MPI_INTEGER, next, 12, MPI_COMM_WORLD, sends(1))
    call MPI_Isend(a(5, :), 10, MPI_INTEGER, next, 12, MPI_COMM_WORLD, sends(2))
    call MPI_Mprobe(before, 12, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Mrecv(b(1:8:4, 1:5), 10, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    CHECK(message == MPI_MESSAGE_NULL)
    call MPI_Mprobe(before, 12, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
    call MPI_Imrecv(b(2:8:4, 1:5), 10, MPI_INTEGER, message, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Waitall(2, sends, MPI_STATUSES_IGNORE)
    expected = untouched
    expected(1:8:4, 1:5) = reshape(theirs(4, :), [2, 5])
    expected(2:8:4, 1:5) = reshape(theirs(5, :), [2, 5])
    CHECK(all(b == expected))
  end subroutine

  subroutine exchanges()
    integer :: expected(8, 10), theirs(8, 10)
    type(MPI_Request) :: request
    theirs = elements_of(before)
    call fill()
    call MPI_Sendrecv(a(3, 1:10:2), 5, MPI_INTEGER, next, 13, b(1:5:1, 7), 5, MPI_INTEGER, before, 13, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE)
    expected = untouched
    expected(1:5, 7) = theirs(3, 1:10:2)
    CHECK(all(b == expected))

    call fill()
    call MPI_Isendrecv(a(3, 1:10:2), 5, MPI_INTEGER, next, 13, b(6, 10:2:-2), 5, MPI_INTEGER, before, 13, &
        MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    expected = untouched
    expected(6, 10:2:-2) = theirs(3, 1:10:2)
    CHECK(all(b == expected))

    call fill()
    expected = a
    expected(2:8:3, 1:10:4) = theirs(2:8:3, 1:10:4)
    call MPI_Sendrecv_replace(a(2:8:3, 1:10:4), 9, MPI_INTEGER, next, 13, before, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    CHECK(all(a == expected))
    call fill()
    call MPI_Isendrecv_replace(a(2:8:3, 1:10:4), 9, MPI_INTEGER, next, 13, before, 13, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(a == expected))
  end subroutine

  ! Pointers and assumed shapes have descriptors of their own.
  subroutine pointers()
    integer, target :: c(6, 6)
    integer, pointer :: diagonal(:)
    type(MPI_Request) :: request
    integer :: i
    c = untouched
    diagonal(1:6) => c(:, 1)
    call fill()
    call MPI_Isend(a(1:6, 1), 6, MPI_INTEGER, next, 14, MPI_COMM_WORLD, request)
    call MPI_Recv(diagonal, 6, MPI_INTEGER, before, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(c(:, 1) == [(element(i, 1, before), i = 1, 6)]) .and. all(c(:, 2:) == untouched))
    call MPI_Isend(a(1:6, 1), 6, MPI_INTEGER, next, 14, MPI_COMM_WORLD, request)
    call receive(c(2:6:2, 5:6))
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    CHECK(all(c(2:6:2, 5:6) == reshape([(element(i, 1, before), i = 1, 6)], [3, 2])))
    CHECK(all(c(1:5:2, 2:) == untouched))
  end subroutine

  subroutine receive(shaped)
    integer, intent(inout) :: shaped(:, :)
    call MPI_Recv(shaped, size(shaped), MPI_INTEGER, before, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

  ! Functions whose memory the library uses without a datatype.
  subroutine must_be_contiguous()
    character :: memory(4096), text(MPI_MAX_ERROR_STRING)
    character(len=MPI_MAX_ERROR_STRING) :: message
    integer :: code, length
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Buffer_attach(memory(1:4096:2), 2048, code)
    CHECK(code == MPI_ERR_BUFFER)
    call MPI_Error_string(code, message, length)
    CHECK(index(message, "MPI_Buffer_attach") == 1)
    CHECK(index(message, "not contiguous") > 0)
    text = " "
  end subroutine

end program
