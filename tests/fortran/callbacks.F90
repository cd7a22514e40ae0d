! SPDX-License-Identifier: BSD-3-Clause
! Callbacks in Fortran: operators (more of them than any table would hold), attributes, error handlers and generalized
! requests, and those that MPI provides.
#include "forms.h"

module callbacks_called
  USE_MPI
  implicit none
  private
  public :: reset, copy_fn, delete_fn, type_copy_fn, type_delete_fn, handler, query_fn, free_fn, cancel_fn
  integer, public :: copies, deletions, errors, last_code, queries, frees, cancels
  integer, public :: answer
  WITH_MPI
  integer(MPI_ADDRESS_KIND), public :: last_state, last_value
  COMM_T, public :: last_comm

contains

  subroutine reset()
    copies = 0
    deletions = 0
    errors = 0
    queries = 0
    frees = 0
    cancels = 0
    answer = MPI_SUCCESS
  end subroutine

  ! The duplicate gets a value that is one greater, unless the state is negative.
  subroutine copy_fn(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    COMM_T :: oldcomm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    last_comm = oldcomm
    last_state = extra_state
    last_value = attribute_val_in
    attribute_val_out = attribute_val_in + 1
    flag = extra_state >= 0
    ierror = answer
    if (comm_keyval == MPI_KEYVAL_INVALID) ierror = MPI_ERR_KEYVAL
  end subroutine

  subroutine delete_fn(comm, comm_keyval, attribute_val, extra_state, ierror)
    COMM_T :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    last_comm = comm
    last_state = extra_state
    last_value = attribute_val
    ierror = answer
    if (comm_keyval == MPI_KEYVAL_INVALID) ierror = MPI_ERR_KEYVAL
  end subroutine

  subroutine type_copy_fn(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    TYPE_T :: oldtype
    integer :: type_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    last_state = extra_state
    attribute_val_out = 2 * attribute_val_in
    flag = .true.
    ierror = MPI_SUCCESS
    if (type_keyval == MPI_KEYVAL_INVALID .or. oldtype == MPI_DATATYPE_NULL) ierror = MPI_ERR_KEYVAL
  end subroutine

  subroutine type_delete_fn(datatype, type_keyval, attribute_val, extra_state, ierror)
    TYPE_T :: datatype
    integer :: type_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    last_value = attribute_val
    last_state = extra_state
    ierror = MPI_SUCCESS
    if (type_keyval == MPI_KEYVAL_INVALID .or. datatype == MPI_DATATYPE_NULL) ierror = MPI_ERR_KEYVAL
  end subroutine

  subroutine handler(comm, error_code)
    COMM_T :: comm
    integer :: error_code
    errors = errors + 1
    last_comm = comm
    last_code = error_code
  end subroutine

  subroutine query_fn(extra_state, status, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    STATUS_T :: status
    integer :: ierror
    queries = queries + 1
    last_state = extra_state
    call MPI_Status_set_elements(status, MPI_INTEGER, 5, ierror)
    call MPI_Status_set_cancelled(status, cancels > 0, ierror)
    SOURCE_OF(status) = 3
    TAG_OF(status) = int(extra_state)
    ierror = answer
  end subroutine

  subroutine free_fn(extra_state, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    integer :: ierror
    frees = frees + 1
    last_state = extra_state
    ierror = answer
  end subroutine

  subroutine cancel_fn(extra_state, complete, ierror)
    integer(MPI_ADDRESS_KIND) :: extra_state
    logical :: complete
    integer :: ierror
    if (.not. complete) cancels = cancels + 1
    last_state = extra_state
    ierror = MPI_SUCCESS
  end subroutine

end module

module many_operators
  USE_MPI
  implicit none
  WITH_MPI
contains

#ifdef WITH_F08
  subroutine add(invec, inoutvec, len, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
#else
  subroutine add(in, inout, len, datatype)
    integer :: len, datatype
    integer :: in(len), inout(len)
#endif
    inout = in + inout
    if (datatype /= MPI_INTEGER) inout = -1
  end subroutine

end module

program callbacks
  USE_MPI
  use check
  use callbacks_called
  use many_operators, only: add
  implicit none
  WITH_MPI
  integer :: rank, ranks, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call operators()
  call attributes()
  call provided_functions()
  call failing_attributes()
  call attributes_of_types()
  call error_handlers()
  call generalized_requests()
#ifndef WITH_F08
  call first_generation()
#endif
  call MPI_Finalize(ierr)
  call finish_checks()

contains

  subroutine operators()
    integer, parameter :: many = 1000
    OP_T :: ops(many)
    logical :: commutes
    integer :: i, sum
    do i = 1, many
      call MPI_Op_create(add, mod(i, 2) == 0, ops(i), ierr)
      if (ierr /= MPI_SUCCESS) exit
    end do
    CHECK(i == many + 1)
    call MPI_Op_commutative(ops(7), commutes, ierr)
    CHECK(.not. commutes)
    call MPI_Op_commutative(ops(8), commutes, ierr)
    CHECK(commutes)
    do i = 1, many, 333
      call MPI_Allreduce(rank + i, sum, 1, MPI_INTEGER, ops(i), MPI_COMM_WORLD, ierr)
      CHECK(sum == ranks * i + ranks * (ranks - 1) / 2)
    end do
    do i = 1, many
      call MPI_Op_free(ops(i), ierr)
    end do
    CHECK(ops(many) == MPI_OP_NULL)
  end subroutine

  subroutine attributes()
    integer(MPI_ADDRESS_KIND) :: value
    integer, parameter :: many = 400
    integer :: keys(many), key, i
    COMM_T :: comm
    logical :: found
    call reset()
    call MPI_Comm_create_keyval(copy_fn, delete_fn, key, 77_MPI_ADDRESS_KIND, ierr)
    CHECK(ierr == MPI_SUCCESS .and. key /= MPI_KEYVAL_INVALID)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, ierr)
    CHECK(.not. found)
    value = -12345678901_MPI_ADDRESS_KIND
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
    value = 0
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, ierr)
    CHECK(found .and. value == -12345678901_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    CHECK(copies == 1 .and. last_state == 77 .and. last_comm == MPI_COMM_WORLD)
    CHECK(last_value == -12345678901_MPI_ADDRESS_KIND)
    call MPI_Comm_get_attr(comm, key, value, found, ierr)
    CHECK(found .and. value == -12345678900_MPI_ADDRESS_KIND)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    CHECK(deletions == 1 .and. last_comm == MPI_COMM_WORLD)
    call MPI_Comm_free_keyval(key, ierr)
    CHECK(key == MPI_KEYVAL_INVALID)
    call MPI_Comm_free(comm, ierr)
    CHECK(deletions == 2 .and. last_value == -12345678900_MPI_ADDRESS_KIND .and. last_state == 77)

    ! Keys with a state of their own each.
    call reset()
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    do i = 1, many
      call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_fn, keys(i), int(i, MPI_ADDRESS_KIND), ierr)
      call MPI_Comm_set_attr(comm, keys(i), int(2 * i, MPI_ADDRESS_KIND), ierr)
    end do
    do i = 1, many, 57
      call MPI_Comm_delete_attr(comm, keys(i), ierr)
      CHECK(last_state == i .and. last_value == 2 * i)
    end do
    do i = 1, many
      call MPI_Comm_free_keyval(keys(i), ierr)
    end do
    call MPI_Comm_free(comm, ierr)
    CHECK(deletions == many)
  end subroutine

  subroutine provided_functions()
    integer(MPI_ADDRESS_KIND) :: value, given
    integer :: dup_key, null_key
    COMM_T :: comm
    logical :: found
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, null_key, 0_MPI_ADDRESS_KIND, ierr)
    given = 99
    call MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, given, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, given, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_get_attr(comm, dup_key, value, found, ierr)
    CHECK(found .and. value == 99)
    call MPI_Comm_get_attr(comm, null_key, value, found, ierr)
    CHECK(.not. found)
    ! A program may call them itself.
    call MPI_COMM_DUP_FN(MPI_COMM_WORLD, dup_key, 0_MPI_ADDRESS_KIND, given, value, found, ierr)
    CHECK(found .and. value == 99 .and. ierr == MPI_SUCCESS)
    call MPI_COMM_NULL_COPY_FN(MPI_COMM_WORLD, dup_key, 0_MPI_ADDRESS_KIND, given, value, found, ierr)
    CHECK(.not. found .and. ierr == MPI_SUCCESS)
    call MPI_COMM_NULL_DELETE_FN(MPI_COMM_WORLD, dup_key, given, 0_MPI_ADDRESS_KIND, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Comm_free(comm, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key, ierr)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, null_key, ierr)
    call MPI_Comm_free_keyval(dup_key, ierr)
    call MPI_Comm_free_keyval(null_key, ierr)
  end subroutine

  ! What a callback returns is what the function returns.
  subroutine failing_attributes()
    integer :: key
    COMM_T :: comm, copy
    call reset()
    call MPI_Comm_dup(MPI_COMM_SELF, comm, ierr)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
    call MPI_Comm_create_keyval(copy_fn, delete_fn, key, 1_MPI_ADDRESS_KIND, ierr)
    call MPI_Comm_set_attr(comm, key, 5_MPI_ADDRESS_KIND, ierr)
    answer = MPI_ERR_OTHER
    call MPI_Comm_dup(comm, copy, ierr)
    CHECK(ierr == MPI_ERR_OTHER)
    call MPI_Comm_delete_attr(comm, key, ierr)
    CHECK(ierr == MPI_ERR_OTHER)
    answer = MPI_SUCCESS
    call MPI_Comm_delete_attr(comm, key, ierr)
    CHECK(ierr == MPI_SUCCESS)
    call MPI_Comm_free_keyval(key, ierr)
    call MPI_Comm_free(comm, ierr)
  end subroutine

  subroutine attributes_of_types()
    integer(MPI_ADDRESS_KIND) :: value
    integer :: key
    TYPE_T :: type, copy
    logical :: found
    call reset()
    call MPI_Type_contiguous(3, MPI_REAL, type, ierr)
    call MPI_Type_create_keyval(type_copy_fn, type_delete_fn, key, 5_MPI_ADDRESS_KIND, ierr)
    call MPI_Type_set_attr(type, key, 21_MPI_ADDRESS_KIND, ierr)
    call MPI_Type_dup(type, copy, ierr)
    call MPI_Type_get_attr(copy, key, value, found, ierr)
    CHECK(found .and. value == 42 .and. copies == 1 .and. last_state == 5)
    call MPI_Type_free(copy, ierr)
    CHECK(deletions == 1 .and. last_value == 42)
    call MPI_Type_free(type, ierr)
    CHECK(deletions == 2 .and. last_value == 21)
    call MPI_Type_free_keyval(key, ierr)
  end subroutine

  subroutine error_handlers()
    ERRHANDLER_T :: mine, got
    COMM_T :: comm
    integer :: class
    call reset()
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_create_errhandler(handler, mine, ierr)
    call MPI_Comm_set_errhandler(comm, mine, ierr)
    call MPI_Comm_get_errhandler(comm, got, ierr)
    CHECK(got == mine)
    call MPI_Errhandler_free(got, ierr)
    call MPI_Errhandler_free(mine, ierr)
    CHECK(mine == MPI_ERRHANDLER_NULL)
    call MPI_Send(rank, 1, MPI_INTEGER, ranks, 0, comm, ierr)
    CHECK(errors == 1 .and. last_comm == comm)
    call MPI_Error_class(last_code, class, ierr)
    CHECK(class == MPI_ERR_RANK)
    call MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER, ierr)
    CHECK(errors == 2 .and. last_code == MPI_ERR_OTHER .and. ierr == MPI_SUCCESS)
    call MPI_Comm_free(comm, ierr)
  end subroutine

  subroutine generalized_requests()
    REQUEST_T :: request
    STATUS_T :: status
    logical :: flag
    integer :: count
    call reset()
    call MPI_Grequest_start(query_fn, free_fn, cancel_fn, 1234_MPI_ADDRESS_KIND, request, ierr)
    call MPI_Test(request, flag, status, ierr)
    CHECK(.not. flag .and. queries == 0)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    CHECK(queries == 1 .and. frees == 1 .and. cancels == 0 .and. last_state == 1234)
    CHECK(request == MPI_REQUEST_NULL .and. TAG_OF(status) == 1234 .and. SOURCE_OF(status) == 3)
    call MPI_Get_elements(status, MPI_INTEGER, count, ierr)
    CHECK(count == 5)
    call MPI_Grequest_start(query_fn, free_fn, cancel_fn, 8_MPI_ADDRESS_KIND, request, ierr)
    call MPI_Cancel(request, ierr)
    CHECK(cancels == 1)
    call MPI_Grequest_complete(request, ierr)
    call MPI_Wait(request, status, ierr)
    call MPI_Test_cancelled(status, flag, ierr)
    CHECK(flag)
    CHECK(frees == 2 .and. last_state == 8)
  end subroutine

#ifndef WITH_F08
  ! The functions of MPI-1, whose values are INTEGERs.
  subroutine first_generation()
    integer :: key, value, comm
    integer(MPI_ADDRESS_KIND) :: address
    logical :: found
    call reset()
    call MPI_Keyval_create(old_copy, old_delete, key, 13, ierr)
    call MPI_Attr_put(MPI_COMM_WORLD, key, -5, ierr)
    value = 0
    call MPI_Attr_get(MPI_COMM_WORLD, key, value, found, ierr)
    CHECK(found .and. value == -5)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, address, found, ierr)
    CHECK(found .and. address == -5)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Attr_get(comm, key, value, found, ierr)
    CHECK(found .and. value == 8 .and. copies == 1)
    call MPI_Comm_free(comm, ierr)
    CHECK(deletions == 1 .and. last_value == 8)
    call MPI_Attr_delete(MPI_COMM_WORLD, key, ierr)
    CHECK(deletions == 2)
    call MPI_Keyval_free(key, ierr)
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, ierr)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 2_MPI_ADDRESS_KIND**40 + 3, ierr)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Attr_get(comm, key, value, found, ierr)
    CHECK(found .and. value == 3)
    call MPI_Comm_get_attr(comm, key, address, found, ierr)
    CHECK(found .and. address == 2_MPI_ADDRESS_KIND**40 + 3)
    call MPI_Comm_free(comm, ierr)
    call MPI_Attr_delete(MPI_COMM_WORLD, key, ierr)
    call MPI_Keyval_free(key, ierr)
    call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, found, ierr)
    CHECK(found .and. value >= 32767)
  end subroutine

  subroutine old_copy(oldcomm, keyval, extra_state, value_in, value_out, flag, ierror)
    integer :: oldcomm, keyval, extra_state, value_in, value_out, ierror
    logical :: flag
    copies = copies + 1
    value_out = value_in + extra_state
    flag = oldcomm == MPI_COMM_WORLD .and. keyval /= MPI_KEYVAL_INVALID
    ierror = MPI_SUCCESS
  end subroutine

  subroutine old_delete(comm, keyval, value, extra_state, ierror)
    integer :: comm, keyval, value, extra_state, ierror
    deletions = deletions + 1
    last_value = value
    ierror = merge(MPI_SUCCESS, MPI_ERR_OTHER, extra_state == 13 .and. comm /= MPI_COMM_NULL .and. keyval /= 0)
  end subroutine
#endif

end program
