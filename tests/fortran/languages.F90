! SPDX-License-Identifier: BSD-3-Clause
! Objects that one language makes and the other uses (MPI-5.0, section 19.3): attributes, whose values are pointers in C
! and numbers of two lengths in Fortran; operators, error handlers, statuses.
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)

module languages_called
  use mpi
  implicit none
  integer :: errors = 0, copies = 0, deletions = 0
  integer(MPI_ADDRESS_KIND) :: seen = 0
contains

  subroutine copy_fn(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    integer :: oldcomm, comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    seen = attribute_val_in
    attribute_val_out = 55
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine delete_fn(comm, comm_keyval, attribute_val, extra_state, ierror)
    integer :: comm, comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    seen = attribute_val
    ierror = MPI_SUCCESS
  end subroutine

  subroutine add(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(len), inout(len)
    inout = in + inout
  end subroutine

  subroutine handler(comm, error_code)
    integer :: comm, error_code
    errors = errors + 1
  end subroutine

end module

program languages
  use mpi
  use check
  use languages_called
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function languages_set(comm, key) bind(C)
      import
      integer(c_int), value :: comm, key
    end function
    integer(c_intptr_t) function languages_get(comm, key, bytes) bind(C)
      import
      integer(c_int), value :: comm, key, bytes
    end function
    integer(c_intptr_t) function languages_get_pointer(comm, key) bind(C)
      import
      integer(c_int), value :: comm, key
    end function
    integer(c_intptr_t) function languages_seen() bind(C)
      import
    end function
    integer(c_intptr_t) function languages_address() bind(C)
      import
    end function
    integer(c_int) function languages_counts(which) bind(C)
      import
      integer(c_int), value :: which
    end function
    integer(c_int) function languages_keyval(with_dup) bind(C)
      import
      integer(c_int), value :: with_dup
    end function
    integer(c_int) function languages_sum(op, type, comm, value) bind(C)
      import
      integer(c_int), value :: op, type, comm, value
    end function
    integer(c_int) function languages_raise(comm) bind(C)
      import
      integer(c_int), value :: comm
    end function
    integer(c_int) function languages_receive(comm, status) bind(C)
      import
      integer(c_int), value :: comm
      integer(c_int) :: status(*)
    end function
  end interface
  integer :: rank, ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call set_in_c()
  call set_in_fortran()
  call predefined()
  call callbacks_in_c()
  call callbacks_in_fortran()
  call other_objects()
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  subroutine set_in_c()
    integer :: key, short
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    key = languages_keyval(1)
    CHECK(languages_set(MPI_COMM_WORLD, key) == MPI_SUCCESS)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, ierr)
    CHECK(found .and. value == languages_address())
    call MPI_Attr_get(MPI_COMM_WORLD, key, short, found, ierr)
    CHECK(found .and. short == transfer(value, short))
    CHECK(languages_get_pointer(MPI_COMM_WORLD, key) == languages_address())
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine set_in_fortran()
    integer :: key, short, copy
    integer(MPI_ADDRESS_KIND) :: value
    logical :: found
    key = languages_keyval(1)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_MPI_ADDRESS_KIND**40 + 7, ierr)
    CHECK(languages_get(MPI_COMM_WORLD, key, 8) == 2_MPI_ADDRESS_KIND**40 + 7)
    call MPI_Attr_get(MPI_COMM_WORLD, key, short, found, ierr)
    CHECK(found .and. short == 7)
    ! A duplicate gets the same number, and not the address of the old one.
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    CHECK(languages_get(copy, key, 8) == 2_MPI_ADDRESS_KIND**40 + 7)
    CHECK(languages_get_pointer(copy, key) /= languages_get_pointer(MPI_COMM_WORLD, key))
    call MPI_Comm_free(copy, ierr)
    call MPI_Attr_put(MPI_COMM_WORLD, key, -3, ierr)
    CHECK(languages_get(MPI_COMM_WORLD, key, 4) == -3)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, ierr)
    CHECK(found .and. value == -3)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine predefined()
    integer(MPI_ADDRESS_KIND) :: value
    integer :: short
    logical :: found
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierr)
    CHECK(found .and. value >= 32767)
    CHECK(languages_get(MPI_COMM_WORLD, MPI_TAG_UB, 4) == value)
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, short, found, ierr)
    CHECK(found .and. short == value)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, value, found, ierr)
    CHECK(.not. found .or. value >= 1)
  end subroutine

  subroutine callbacks_in_c()
    integer :: key, copy
    key = languages_keyval(0)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 123456789012_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    CHECK(languages_counts(0) == 1 .and. languages_seen() == 123456789012_MPI_ADDRESS_KIND)
    CHECK(languages_get_pointer(copy, key) == languages_address())
    call MPI_Comm_free(copy, ierr)
    CHECK(languages_counts(1) == 1 .and. languages_seen() == 4711)
    call MPI_Attr_put(MPI_COMM_WORLD, key, 88, ierr)
    CHECK(languages_counts(1) == 2)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    CHECK(languages_counts(1) == 3 .and. languages_seen() == 88)
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine callbacks_in_fortran()
    integer :: key, copy
    call MPI_Comm_create_keyval(copy_fn, delete_fn, key, 0_MPI_ADDRESS_KIND, ierr)
    CHECK(languages_set(MPI_COMM_WORLD, key) == MPI_SUCCESS)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
    CHECK(copies == 1 .and. seen == languages_address())
    CHECK(languages_get(copy, key, 8) == 55)
    call MPI_Comm_free(copy, ierr)
    CHECK(deletions == 1 .and. seen == 55)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    CHECK(deletions == 2 .and. seen == languages_address())
    call MPI_Comm_free_keyval(key, ierr)
  end subroutine

  subroutine other_objects()
    integer :: op, mine, comm, status(MPI_STATUS_SIZE), type, request
    call MPI_Op_create(add, .true., op, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Type_dup(MPI_INTEGER, type, ierr)
    CHECK(languages_sum(op, type, comm, rank + 1) == ranks * (ranks + 1) / 2)
    call MPI_Comm_create_errhandler(handler, mine, ierr)
    call MPI_Comm_set_errhandler(comm, mine, ierr)
    CHECK(languages_raise(comm) == MPI_SUCCESS .and. errors == 1)
    call MPI_Isend(rank, 1, MPI_INTEGER, modulo(rank + 1, ranks), 42, comm, request, ierr)
    CHECK(languages_receive(comm, status) == modulo(rank - 1, ranks))
    CHECK(status(MPI_SOURCE) == modulo(rank - 1, ranks) .and. status(MPI_TAG) == 42)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_Errhandler_free(mine, ierr)
    call MPI_Op_free(op, ierr)
    call MPI_Type_free(type, ierr)
    call MPI_Comm_free(comm, ierr)
  end subroutine

end program
