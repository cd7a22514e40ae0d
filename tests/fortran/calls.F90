! SPDX-License-Identifier: BSD-3-Clause
! Conversions of arguments: strings, logicals, statuses and their conversions, arrays of requests and indices, special
! addresses, handles.
#include "forms.h"

program calls
  USE_MPI
  use check
  implicit none
  WITH_MPI
  integer :: rank, ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call names()
  call infos()
  call fortran_info()
  call messages()
  call topologies()
  call graphs()
  call statuses()
  call status_conversions()
  call indices()
  call addresses()
  call handles()
  call datatypes()
  call duplicates()
  call buffers()
  call memory()
  call sessions()
  call clocks()
  call kinds()
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  ! Strings are padded with blanks, and cut if the variable is too short.
  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=4) :: short
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: length, first, second
    name = repeat("x", MPI_MAX_OBJECT_NAME)
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    CHECK(name == "MPI_COMM_WORLD" .and. length == 14)
    CHECK(name(15:) == " ")
    short = "zzzz"
    call MPI_Comm_get_name(MPI_COMM_WORLD, short, length, ierr)
    CHECK(short == "MPI_")
    call MPI_Comm_set_name(MPI_COMM_SELF, "  my name   ", ierr)
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length, ierr)
    CHECK(name == "  my name" .and. length == 9)
    call MPI_Comm_set_name(MPI_COMM_SELF, "", ierr)
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length, ierr)
    CHECK(name == " " .and. length == 0)
    call MPI_Get_processor_name(host, length, ierr)
    CHECK(length > 0 .and. host(length + 1:) == " " .and. host(length:length) /= " ")
    call MPI_Get_library_version(version, length, ierr)
    CHECK(index(version, "Bowline") == 1)
    call MPI_Get_version(first, second, ierr)
    CHECK(first == MPI_VERSION .and. second == MPI_SUBVERSION)
  end subroutine

  subroutine infos()
    INFO_T :: info, copy
    character(len=20) :: value
    character(len=MPI_MAX_INFO_KEY) :: key
    integer :: length, keys
    logical :: found
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, "  a key ", "  a value  ", ierr)
    call MPI_Info_get_nkeys(info, keys, ierr)
    CHECK(keys == 1)
    call MPI_Info_get_nthkey(info, 0, key, ierr)
    CHECK(key == "a key")
    value = "unchanged"
    length = len(value)
    call MPI_Info_get_string(info, "a key", length, value, found, ierr)
    CHECK(found .and. value == "a value" .and. length == 7)
    length = 3
    call MPI_Info_get_string(info, "a key", length, value, found, ierr)
    CHECK(found .and. value == "a v" .and. length == 7)
    length = 0
    value = "unchanged"
    call MPI_Info_get_string(info, "a key", length, value, found, ierr)
    CHECK(found .and. value == "unchanged" .and. length == 7)
    call MPI_Info_get_string(info, "another", length, value, found, ierr)
    CHECK(.not. found .and. value == "unchanged")
    call MPI_Info_get(info, "a key", 7, value, found, ierr)
    CHECK(found .and. value == "a value")
    call MPI_Info_get_valuelen(info, "a key", length, found, ierr)
    CHECK(found .and. length == 7)
    call MPI_Info_dup(info, copy, ierr)
    call MPI_Info_delete(info, "a key", ierr)
    call MPI_Info_get_nkeys(info, keys, ierr)
    CHECK(keys == 0)
    call MPI_Info_free(copy, ierr)
    call MPI_Info_free(info, ierr)
    CHECK(info == MPI_INFO_NULL)
    call MPI_Info_create_env(info, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Info_free(info, ierr)
  end subroutine

  ! The library has told MPI what Fortran has.
  subroutine fortran_info()
    INFO_T :: info
    character(len=10) :: value
    integer :: length
    logical :: found, known
    call MPI_Abi_get_fortran_info(info, ierr)
    CHECK(info /= MPI_INFO_NULL)
    length = len(value)
    call MPI_Info_get_string(info, "mpi_integer_size", length, value, found, ierr)
    CHECK(found .and. value == "4")
    call MPI_Info_free(info, ierr)
    call MPI_Abi_get_fortran_booleans(4, known, found, found, ierr)
    CHECK(.not. found)
  end subroutine

  subroutine messages()
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, class, code
    call MPI_Add_error_class(class, ierr)
    call MPI_Add_error_code(class, code, ierr)
    call MPI_Add_error_string(code, "a message of the program   ", ierr)
    call MPI_Error_string(code, text, length, ierr)
    CHECK(text == "a message of the program")
    CHECK(length == 24)
  end subroutine

  subroutine topologies()
    COMM_T :: grid, row
    integer :: dims(2), coords(2), got(2), place, source, dest, kind, number
    logical :: periods(2), got_periods(2)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    periods = [.true., .false.]
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
    got_periods = [.false., .true.]
    call MPI_Cart_get(grid, 2, got, got_periods, coords, ierr)
    CHECK(all(got == dims) .and. all(got_periods .eqv. periods))
    CHECK(transfer(got_periods(1), 0) == transfer(.true., 0) .and. transfer(got_periods(2), 0) == transfer(.false., 0))
    call MPI_Cart_rank(grid, coords, place, ierr)
    CHECK(place == rank)
    call MPI_Cart_shift(grid, 1, 1, source, dest, ierr)
    CHECK((dest == MPI_PROC_NULL) .eqv. (coords(2) == dims(2) - 1))
    call MPI_Topo_test(grid, kind, ierr)
    CHECK(kind == MPI_CART)
    call MPI_Cart_sub(grid, [.false., .true.], row, ierr)
    call MPI_Comm_size(row, number, ierr)
    CHECK(number == dims(2))
    call MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, place, ierr)
    CHECK(place >= 0 .and. place < ranks)
    call MPI_Comm_free(row, ierr)
    call MPI_Comm_free(grid, ierr)
    CHECK(grid == MPI_COMM_NULL)
  end subroutine

  subroutine graphs()
    COMM_T :: graph
    integer :: in, out, sources(2), destinations(2), weights(2), other(2)
    logical :: weighted
    integer :: left, right
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
        MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierr)
    CHECK(in == 1 .and. out == 1 .and. .not. weighted)
    call MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED, ierr)
    CHECK(sources(1) == left .and. destinations(1) == right)
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create(MPI_COMM_WORLD, 1, [rank], [1], [right], [5], MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierr)
    CHECK(in == 1 .and. out == 1 .and. weighted)
    call MPI_Dist_graph_neighbors(graph, 1, sources, weights, 1, destinations, other, ierr)
    CHECK(weights(1) == 5 .and. other(1) == 5)
    call MPI_Comm_free(graph, ierr)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, sources, MPI_WEIGHTS_EMPTY, 0, destinations, &
        MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., graph, ierr)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, ierr)
    CHECK(in == 0 .and. out == 0 .and. weighted)
    call MPI_Comm_free(graph, ierr)
  end subroutine

  subroutine statuses()
    STATUS_T :: status
    integer :: value, count, next, before, source, tag, error
    logical :: flag
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 5, value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, &
        MPI_COMM_WORLD, status, ierr)
    CHECK(value == before .and. SOURCE_OF(status) == before .and. TAG_OF(status) == 5)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    CHECK(count == 1)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
    CHECK(count == MPI_UNDEFINED)
    call MPI_Status_get_source(status, source, ierr)
    call MPI_Status_get_tag(status, tag, ierr)
    CHECK(source == before .and. tag == 5)
    call MPI_Status_set_source(status, 77, ierr)
    call MPI_Status_set_tag(status, 78, ierr)
    call MPI_Status_set_error(status, MPI_ERR_OTHER, ierr)
    call MPI_Status_get_error(status, error, ierr)
    CHECK(SOURCE_OF(status) == 77 .and. TAG_OF(status) == 78 .and. ERROR_OF(status) == MPI_ERR_OTHER)
    CHECK(error == MPI_ERR_OTHER)
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 5, value, 1, MPI_INTEGER, before, 5, MPI_COMM_WORLD, &
        MPI_STATUS_IGNORE, ierr)
    CHECK(value == before)
    call MPI_Iprobe(MPI_ANY_SOURCE, 999, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, ierr)
    CHECK(.not. flag)
    call MPI_Test_cancelled(status, flag, ierr)
    CHECK(.not. flag)
  end subroutine

  subroutine status_conversions()
#if defined(WITH_F08) || defined(WITH_MODULE)
    type(MPI_Status) :: new
    integer :: old(MPI_STATUS_SIZE), back(MPI_STATUS_SIZE), i
    old = [(100 + i, i = 1, MPI_STATUS_SIZE)]
    call MPI_Status_f2f08(old, new, ierr)
    CHECK(ierr == MPI_SUCCESS)
    CHECK(new%MPI_SOURCE == old(MPI_SOURCE) .and. new%MPI_TAG == old(MPI_TAG) .and. new%MPI_ERROR == old(MPI_ERROR))
    back = 0
    call MPI_Status_f082f(new, back, ierr)
    CHECK(all(back == old))
    call PMPI_Status_f082f(new, back, ierr)
    CHECK(all(back == old))
#else
    CHECK(MPI_STATUS_SIZE == 8 .and. MPI_SOURCE == 1 .and. MPI_TAG == 2 .and. MPI_ERROR == 3)
#endif
  end subroutine

  ! Fortran counts the elements of arrays from one.
  subroutine indices()
    REQUEST_T :: requests(40)
    STATUS_T :: status
#ifdef WITH_F08
    type(MPI_Status) :: all_of_them(40)
#define STATUS(i) all_of_them(i)
#else
    integer :: all_of_them(MPI_STATUS_SIZE, 40)
#define STATUS(i) all_of_them(:, i)
#endif
    integer :: values(40), which, number, places(40), i
    logical :: flag
    requests = MPI_REQUEST_NULL
    ERROR_OF(status) = 12345
    call MPI_Waitany(40, requests, which, status, ierr)
    CHECK(which == MPI_UNDEFINED .and. ERROR_OF(status) == MPI_SUCCESS)
    do i = 1, 40
      call MPI_Irecv(values(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i), ierr)
    end do
    call MPI_Testany(40, requests, which, flag, status, ierr)
    CHECK(.not. flag)
    call MPI_Send(17, 1, MPI_INTEGER, 0, 17, MPI_COMM_SELF, ierr)
    call MPI_Waitany(40, requests, which, status, ierr)
    CHECK(which == 17 .and. TAG_OF(status) == 17)
    CHECK(requests(17) == MPI_REQUEST_NULL .and. requests(16) /= MPI_REQUEST_NULL)
    call MPI_Send(40, 1, MPI_INTEGER, 0, 40, MPI_COMM_SELF, ierr)
    call MPI_Send(3, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierr)
    call MPI_Waitsome(40, requests, number, places, all_of_them, ierr)
    CHECK(number == 2)
    CHECK(all(places(1:2) == [3, 40]))
    CHECK(values(3) == 3 .and. values(40) == 40)
    call MPI_Testsome(40, requests, number, places, MPI_STATUSES_IGNORE, ierr)
    CHECK(number == 0)
    do i = 1, 40
      if (requests(i) /= MPI_REQUEST_NULL) call MPI_Send(i, 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, ierr)
    end do
    call MPI_Request_get_status(requests(5), flag, status, ierr)
    CHECK(flag .and. requests(5) /= MPI_REQUEST_NULL)
    ERROR_OF(status) = 12345
    do i = 1, 40
      STATUS(i) = status
    end do
    call MPI_Testall(40, requests, flag, all_of_them, ierr)
    CHECK(flag)
    CHECK(all(values([(i, i = 1, 16), (i, i = 18, 39)]) == [(i, i = 1, 16), (i, i = 18, 39)]))
    status = STATUS(39)
    CHECK(TAG_OF(status) == 39 .and. ERROR_OF(status) == 12345)
    status = STATUS(40)
    CHECK(SOURCE_OF(status) == MPI_ANY_SOURCE .and. ERROR_OF(status) == MPI_SUCCESS)
    CHECK(all([(requests(i) == MPI_REQUEST_NULL, i = 1, 40)]))
    call MPI_Waitall(40, requests, MPI_STATUSES_IGNORE, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  ! MPI_BOTTOM, and addresses as numbers.
  subroutine addresses()
    integer, target, save :: here(10), there(10)
    integer(MPI_ADDRESS_KIND) :: place(2), difference
    TYPE_T :: type
    integer :: i
    here = [(i, i = 1, 10)]
    there = 0
    call MPI_Get_address(here(2), place(1), ierr)
    call MPI_Get_address(here(9), place(2), ierr)
    difference = MPI_Aint_diff(place(2), place(1))
    CHECK(difference == 28)
    CHECK(MPI_Aint_add(place(1), difference) == place(2))
    call MPI_Type_create_hindexed(2, [3, 2], place, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 0, there, 10, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    CHECK(all(there(1:5) == [2, 3, 4, 9, 10]) .and. all(there(6:) == 0))
    call MPI_Type_free(type, ierr)
    call MPI_F_sync_reg(here)
  end subroutine

  subroutine handles()
    GROUP_T :: all, some
    integer :: number, result, places(2)
#ifdef WITH_F08
    CHECK(MPI_COMM_WORLD%MPI_VAL == 257)
    CHECK(MPI_COMM_WORLD == MPI_Comm(257))
#endif
    CHECK(MPI_COMM_WORLD /= MPI_COMM_SELF .and. .not. MPI_COMM_WORLD /= MPI_COMM_WORLD)
    call MPI_Comm_group(MPI_COMM_WORLD, all, ierr)
    call MPI_Group_incl(all, 1, [ranks - 1], some, ierr)
    call MPI_Group_size(some, number, ierr)
    CHECK(number == 1)
    call MPI_Group_translate_ranks(some, 1, [0], all, places, ierr)
    CHECK(places(1) == ranks - 1)
    call MPI_Group_free(some, ierr)
    call MPI_Group_range_incl(all, 1, reshape([ranks - 1, 0, -1], [3, 1]), some, ierr)
    call MPI_Group_compare(all, some, result, ierr)
    CHECK(result == merge(MPI_IDENT, MPI_SIMILAR, ranks == 1))
    call MPI_Group_free(some, ierr)
    call MPI_Group_free(all, ierr)
    CHECK(all == MPI_GROUP_NULL)
  end subroutine

  subroutine datatypes()
    TYPE_T :: type, parts(2), got(2)
    integer :: integers(10), combiner, ni, na, nt, size
    integer(MPI_ADDRESS_KIND) :: places(10), lb, extent
    parts = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
    call MPI_Type_create_struct(2, [1, 2], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], parts, type, ierr)
    call MPI_Type_get_envelope(type, ni, na, nt, combiner, ierr)
    CHECK(ni == 3 .and. na == 2 .and. nt == 2 .and. combiner == MPI_COMBINER_STRUCT)
    call MPI_Type_get_contents(type, ni, na, nt, integers, places, got, ierr)
    CHECK(all(integers(1:3) == [2, 1, 2]) .and. all(places(1:2) == [0, 8]))
    CHECK(got(1) == MPI_INTEGER .and. got(2) == MPI_DOUBLE_PRECISION)
    call MPI_Type_size(type, size, ierr)
    call MPI_Type_get_extent(type, lb, extent, ierr)
    CHECK(size == 20 .and. lb == 0 .and. extent == 24)
    call MPI_Type_free(type, ierr)
    call MPI_Type_create_f90_real(15, 307, type, ierr)
    call MPI_Type_size(type, size, ierr)
    CHECK(size == 8)
    call MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 2, type, ierr)
    CHECK(type == MPI_INTEGER2)
#if defined(WITH_F08) || defined(WITH_MODULE)
    call MPI_Sizeof(lb, size, ierr)
    CHECK(size == 8)
    call MPI_Sizeof(integers, size, ierr)
    CHECK(size == 4)
    call PMPI_Sizeof((1.0, 2.0), size, ierr)
    CHECK(size == 8)
#endif
  end subroutine

  ! The new communicator is there when the operation has completed.
  subroutine duplicates()
#if defined(WITH_F08) || defined(WITH_MODULE)
    COMM_T, asynchronous :: copy
#else
    COMM_T :: copy
#endif
    REQUEST_T :: request
    integer :: number, result
    call MPI_Comm_idup(MPI_COMM_WORLD, copy, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_compare(MPI_COMM_WORLD, copy, result, ierr)
    CHECK(result == MPI_CONGRUENT)
    call MPI_Allreduce(1, number, 1, MPI_INTEGER, MPI_SUM, copy, ierr)
    CHECK(number == ranks)
    call MPI_Comm_free(copy, ierr)
    call MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, copy, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(copy, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine buffers()
    integer :: value, size
#ifdef WITH_F08
    block
      use, intrinsic :: iso_c_binding
      character, target, save :: room(2000)
      type(c_ptr) :: address
      call MPI_Buffer_attach(room, 2000, ierr)
      call MPI_Bsend(5, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)
      call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
      CHECK(value == 5)
      call MPI_Buffer_detach(address, size, ierr)
      CHECK(size == 2000 .and. c_associated(address, c_loc(room)))
    end block
#else
    integer, save :: room(500)
    integer :: unused
    call MPI_Buffer_attach(room, 2000, ierr)
    call MPI_Bsend(5, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    CHECK(value == 5)
    call MPI_Buffer_detach(unused, size, ierr)
    CHECK(size == 2000)
#endif
    call MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0, ierr)
    call MPI_Bsend(6, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierr)
    call MPI_Recv(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
    CHECK(value == 6)
#ifdef WITH_F08
    block
      use, intrinsic :: iso_c_binding
      type(c_ptr) :: address
      call MPI_Buffer_detach(address, size, ierr)
      CHECK(c_associated(address, c_loc(MPI_BUFFER_AUTOMATIC)))
    end block
#else
    call MPI_Buffer_detach(unused, size, ierr)
#endif
    CHECK(size == 0)
  end subroutine

  subroutine memory()
#ifndef WITH_F08
    integer(MPI_ADDRESS_KIND) :: address
#endif
#if defined(WITH_F08) || defined(WITH_MODULE)
    block
      use, intrinsic :: iso_c_binding
      type(c_ptr) :: pointer
      double precision, pointer :: values(:)
      call MPI_Alloc_mem(800_MPI_ADDRESS_KIND, MPI_INFO_NULL, pointer, ierr)
      call c_f_pointer(pointer, values, [100])
      values = 1
      CHECK(sum(values) == 100)
      call MPI_Free_mem(values, ierr)
      CHECK(ierr == MPI_SUCCESS)
    end block
#endif
#ifndef WITH_F08
    call MPI_Alloc_mem(800_MPI_ADDRESS_KIND, MPI_INFO_NULL, address, ierr)
    CHECK(address /= 0)
#endif
  end subroutine

  subroutine sessions()
#ifdef WITH_F08
    type(MPI_Session) :: session
#else
    integer :: session
#endif
    GROUP_T :: group
    character(len=MPI_MAX_PSET_NAME_LEN) :: name
    integer :: number, length
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, number, ierr)
    CHECK(number >= 2)
    length = 0
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, ierr)
    CHECK(length == 11)
    call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, length, name, ierr)
    CHECK(name == "mpi://WORLD" .and. length == 11)
    call MPI_Group_from_session_pset(session, "mpi://WORLD", group, ierr)
    call MPI_Group_size(group, number, ierr)
    CHECK(number == ranks)
    call MPI_Group_free(group, ierr)
    call MPI_Session_finalize(session, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine

  subroutine clocks()
    double precision :: first
    logical :: flag
    first = MPI_Wtime()
    CHECK(PMPI_Wtime() >= first .and. MPI_Wtick() > 0)
    call MPI_Initialized(flag, ierr)
    CHECK(flag)
    call MPI_Finalized(flag, ierr)
    CHECK(.not. flag)
    call PMPI_Barrier(MPI_COMM_WORLD, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Pcontrol(1)
  end subroutine

  subroutine kinds()
    CHECK(MPI_ADDRESS_KIND == 8 .and. MPI_COUNT_KIND == 8 .and. MPI_OFFSET_KIND == 8 .and. MPI_INTEGER_KIND == 4)
    CHECK(MPI_MAX_ERROR_STRING == 511 .and. MPI_DISPLACEMENT_CURRENT == -1_MPI_OFFSET_KIND)
#ifdef WITH_F08
    CHECK(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING)
#else
    CHECK(.not. MPI_SUBARRAYS_SUPPORTED .and. .not. MPI_ASYNC_PROTECTS_NONBLOCKING)
#endif
  end subroutine

end program
