! SPDX-License-Identifier: BSD-3-Clause
! What programs in Fortran of other MPIs use: each kind of argument, special addresses, handles in modules and, in the
! form of mpif.h, what MPI-3.0 removed.
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
  call messages()
  call several_requests()
  call special_addresses()
  call topologies()
  call datatypes()
  call handles()
  call attributes()
#ifdef WITH_F08
  call f08_alone()
#elif !defined(WITH_MODULE)
  call removed()
#endif
#if defined(WITH_F08) || defined(WITH_MODULE)
  call sizes()
#endif
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=4) :: short
    INFO_T :: info
    logical :: flag
    integer :: length, class
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    CHECK(name == "MPI_COMM_WORLD" .and. length == 14 .and. name(15:) == " ")
    call MPI_Comm_set_name(MPI_COMM_SELF, "  my name   ", ierr)
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length, ierr)
    CHECK(name == "  my name" .and. length == 9)
    call MPI_Get_processor_name(host, length, ierr)
    CHECK(length > 0 .and. host(length + 1:) == " ")
    call MPI_Error_class(MPI_ERR_TRUNCATE, class, ierr)
    CHECK(class == MPI_ERR_TRUNCATE)
    call MPI_Error_string(MPI_ERR_TRUNCATE, text, length, ierr)
    CHECK(length > 5 .and. text(length:length) /= " ")
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, " key ", " some value ", ierr)
    call MPI_Info_get(info, "key", 4, short, flag, ierr)
    CHECK(flag .and. short == "some")
    call MPI_Info_get(info, "other", 4, short, flag, ierr)
    CHECK(.not. flag)
    call MPI_Info_free(info, ierr)
    CHECK(info == MPI_INFO_NULL)
    call MPI_Initialized(flag, ierr)
    CHECK(flag)
    call MPI_Finalized(flag, ierr)
    CHECK(.not. flag)
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(length, 1, MPI_INTEGER, 5, 0, MPI_COMM_SELF, ierr)
    CHECK(ierr /= MPI_SUCCESS)
    call MPI_Error_class(ierr, class, ierr)
    CHECK(class == MPI_ERR_RANK)
  end subroutine

  subroutine messages()
    STATUS_T :: status
    integer :: value, next, before, count
    logical :: flag
    double precision :: began
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    began = MPI_Wtime()
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, next, 7, value, 1, MPI_INTEGER, before, MPI_ANY_TAG, &
                      MPI_COMM_WORLD, status, ierr)
    CHECK(value == before .and. SOURCE_OF(status) == before .and. TAG_OF(status) == 7)
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    CHECK(count == 1)
    call MPI_Get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
    CHECK(count == MPI_UNDEFINED)
    call MPI_Test_cancelled(status, flag, ierr)
    CHECK(.not. flag)
    call MPI_Recv(value, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
    CHECK(SOURCE_OF(status) == MPI_PROC_NULL .and. TAG_OF(status) == MPI_ANY_TAG)
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, flag, MPI_STATUS_IGNORE, ierr)
    CHECK(.not. flag .and. MPI_Wtime() >= began .and. MPI_Wtick() > 0)
  end subroutine

  subroutine several_requests()
    REQUEST_T :: requests(4)
    integer :: sent(2), values(2), index, indices(4), completed, i
    logical :: flag
#ifdef WITH_F08
    type(MPI_Status) :: statuses(4)
#else
    integer :: statuses(MPI_STATUS_SIZE, 4)
#endif
    do i = 1, 2
      call MPI_Irecv(values(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_SELF, requests(i), ierr)
      sent(i) = 10*i
      call MPI_Isend(sent(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, requests(i + 2), ierr)
    end do
    call MPI_Waitall(4, requests, statuses, ierr)
    CHECK(all(values == [10, 20]) .and. all([(requests(i) == MPI_REQUEST_NULL, i = 1, 4)]))
#ifdef WITH_F08
    CHECK(all(statuses(1:2)%MPI_TAG == [1, 2]) .and. all(statuses(1:2)%MPI_SOURCE == 0))
#else
    CHECK(all(statuses(MPI_TAG, 1:2) == [1, 2]) .and. all(statuses(MPI_SOURCE, 1:2) == 0))
#endif
    call MPI_Irecv(values(1), 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, requests(2), ierr)
    call MPI_Send(5, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierr)
    call MPI_Waitany(4, requests, index, MPI_STATUS_IGNORE, ierr)
    CHECK(index == 2 .and. values(1) == 5)
    call MPI_Testany(4, requests, index, flag, MPI_STATUS_IGNORE, ierr)
    CHECK(flag .and. index == MPI_UNDEFINED)
    call MPI_Irecv(values(1), 1, MPI_INTEGER, 0, 4, MPI_COMM_SELF, requests(3), ierr)
    call MPI_Send(6, 1, MPI_INTEGER, 0, 4, MPI_COMM_SELF, ierr)
    call MPI_Waitsome(4, requests, completed, indices, MPI_STATUSES_IGNORE, ierr)
    CHECK(completed == 1 .and. indices(1) == 3 .and. values(1) == 6)
    call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, ierr)
    CHECK(flag)
  end subroutine

  subroutine special_addresses()
    integer, save :: mine, sum
    integer(MPI_ADDRESS_KIND) :: place
    TYPE_T :: absolute
    sum = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(sum == ranks*(ranks + 1)/2)
    call MPI_Get_address(mine, place, ierr)
    call MPI_Type_create_hindexed(1, [1], [place], MPI_INTEGER, absolute, ierr)
    call MPI_Type_commit(absolute, ierr)
    mine = -1
    if (rank == 0) mine = 42
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierr)
    CHECK(mine == 42)
    call MPI_Type_free(absolute, ierr)
    CHECK(absolute == MPI_DATATYPE_NULL)
  end subroutine

  subroutine topologies()
    COMM_T :: grid, line, graph, other
    REQUEST_T :: request
    integer :: dims(2), coordinates(2), degree_in, degree_out, kind, new_rank
    logical :: periods(2), weighted
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., grid, ierr)
    periods = .false.
    call MPI_Cart_get(grid, 2, dims, periods, coordinates, ierr)
    CHECK(periods(1) .and. .not. periods(2) .and. product(dims) == ranks)
    call MPI_Topo_test(grid, kind, ierr)
    CHECK(kind == MPI_CART)
    call MPI_Cart_sub(grid, [.true., .false.], line, ierr)
    call MPI_Comm_size(line, degree_in, ierr)
    CHECK(degree_in == dims(1))
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [modulo(rank - 1, ranks)], MPI_UNWEIGHTED, 1, &
                                        [modulo(rank + 1, ranks)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
    weighted = .true.
    call MPI_Dist_graph_neighbors_count(graph, degree_in, degree_out, weighted, ierr)
    CHECK(degree_in == 1 .and. degree_out == 1 .and. .not. weighted)
    call MPI_Comm_idup(MPI_COMM_WORLD, other, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_rank(other, new_rank, ierr)
    CHECK(new_rank == rank)
    call MPI_Comm_compare(other, MPI_COMM_WORLD, kind, ierr)
    CHECK(kind == MPI_CONGRUENT)
    call MPI_Comm_free(other, ierr)
    call MPI_Comm_free(graph, ierr)
    call MPI_Comm_free(line, ierr)
    call MPI_Comm_free(grid, ierr)
    CHECK(grid == MPI_COMM_NULL)
    call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, other, ierr)
    CHECK(other == MPI_COMM_NULL)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, other, ierr)
    call MPI_Comm_size(other, kind, ierr)
    CHECK(kind == ranks)
    call MPI_Comm_free(other, ierr)
  end subroutine

  subroutine datatypes()
    TYPE_T :: pair, rows(ranks)
    integer :: sent(2*ranks), received(2*ranks), counts(ranks), places(ranks), i, size
    integer(MPI_ADDRESS_KIND) :: lower, extent
    call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
    call MPI_Type_commit(pair, ierr)
    call MPI_Type_get_extent(pair, lower, extent, ierr)
    CHECK(lower == 0 .and. extent == 8)
    rows = pair
    counts = 1
    places = [(8*(i - 1), i = 1, ranks)]
    sent = [(100*rank + i, i = 1, 2*ranks)]
    call MPI_Alltoallw(sent, counts, places, rows, received, counts, places, rows, MPI_COMM_WORLD, ierr)
    CHECK(all(received(1::2) == [(100*(i - 1) + 2*rank + 1, i = 1, ranks)]))
    call MPI_Type_free(pair, ierr)
    call MPI_Type_size(MPI_DOUBLE_COMPLEX, size, ierr)
    CHECK(size == 16)
    call MPI_Type_size(MPI_2DOUBLE_PRECISION, size, ierr)
    CHECK(size == 16)
    call MPI_Type_size(MPI_LOGICAL, size, ierr)
    CHECK(size == 4)
    call reductions()
  end subroutine

  subroutine reductions()
    double precision :: place(2), least(2)
    logical :: all_of_them
    complex :: total
    place = [dble(modulo(rank + 1, ranks)), dble(rank)]
    call MPI_Allreduce(place, least, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierr)
    CHECK(least(1) == 0 .and. int(least(2)) == ranks - 1)
    call MPI_Allreduce(rank == 0, all_of_them, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    CHECK(all_of_them .eqv. (ranks == 1))
    call MPI_Allreduce((1.0, 2.0), total, 1, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    CHECK(total == cmplx(ranks, 2*ranks))
  end subroutine

  subroutine handles()
    GROUP_T :: group, part
    OP_T :: op
    COMM_T :: comm
    integer :: size, translated(1)
    call MPI_Comm_group(MPI_COMM_WORLD, group, ierr)
    call MPI_Group_incl(group, 1, [ranks - 1], part, ierr)
    call MPI_Group_size(part, size, ierr)
    CHECK(size == 1)
    call MPI_Group_translate_ranks(part, 1, [0], group, translated, ierr)
    CHECK(translated(1) == ranks - 1)
    call MPI_Comm_create(MPI_COMM_WORLD, part, comm, ierr)
    CHECK((comm /= MPI_COMM_NULL) .eqv. (rank == ranks - 1))
    if (comm /= MPI_COMM_NULL) call MPI_Comm_free(comm, ierr)
    call MPI_Group_free(part, ierr)
    call MPI_Group_free(group, ierr)
    CHECK(group == MPI_GROUP_NULL)
    op = MPI_SUM
    CHECK(op == MPI_SUM .and. op /= MPI_MAX)
  end subroutine

  subroutine attributes()
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    CHECK(flag .and. value >= 32767)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
    CHECK(flag .and. (value == 0 .or. value == 1))
  end subroutine

#ifdef WITH_F08
  ! ierror is optional; handles have their numbers.
  subroutine f08_alone()
    type(MPI_Comm) :: comm
    integer :: size
    comm%MPI_VAL = MPI_COMM_WORLD%MPI_VAL
    call MPI_Comm_size(comm, size)
    CHECK(size == ranks .and. comm == MPI_COMM_WORLD)
    CHECK(MPI_Aint_add(4_MPI_ADDRESS_KIND, 5_MPI_ADDRESS_KIND) == 9)
    call MPI_Barrier(comm)
    call MPI_F_sync_reg(size)
  end subroutine
#endif

#if defined(WITH_F08) || defined(WITH_MODULE)
  subroutine sizes()
    double precision :: number, row(3)
    complex :: pair
    integer :: size
    call MPI_Sizeof(number, size, ierr)
    CHECK(size == 8)
    call MPI_Sizeof(row, size, ierr)
    CHECK(size == 8)
    call MPI_Sizeof(pair, size, ierr)
    CHECK(size == 8)
  end subroutine
#endif

#if !defined(WITH_F08) && !defined(WITH_MODULE)
  subroutine removed()
    integer :: made, extent, errhandler, bound
    call MPI_Type_struct(2, [1, 1], [0, 8], [MPI_INTEGER, MPI_DOUBLE_PRECISION], made, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Type_extent(made, extent, ierr)
    CHECK(extent == 16)
    call MPI_Type_ub(made, bound, ierr)
    CHECK(bound == 16)
    call MPI_Type_free(made, ierr)
    call MPI_Type_hvector(2, 1, 12, MPI_INTEGER, made, ierr)
    call MPI_Type_extent(made, extent, ierr)
    CHECK(extent == 16)
    call MPI_Type_free(made, ierr)
    call MPI_Type_hindexed(1, [2], [4], MPI_INTEGER, made, ierr)
    call MPI_Type_lb(made, bound, ierr)
    CHECK(bound == 4)
    call MPI_Type_free(made, ierr)
    call MPI_Errhandler_get(MPI_COMM_SELF, errhandler, ierr)
    CHECK(errhandler == MPI_ERRORS_RETURN)
    call MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
    CHECK(ierr == MPI_SUCCESS)
  end subroutine
#endif

end program
