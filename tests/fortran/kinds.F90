! SPDX-License-Identifier: BSD-3-Clause
! The types of MPI_Type_create_f90_real, _complex and _integer against the kinds that the compiler chooses for the same
! precision and range. A sum tells types of one size apart. Where the compiler has no kind, there is no type.
#include "forms.h"
program kinds
  USE_MPI
  use check
  implicit none
  WITH_MPI
  ! Kinds that not every compiler has; without them others take their place, which nothing chooses then.
  integer, parameter :: half = merge(2, kind(1.0), selected_real_kind(3, 4) == 2)
  integer, parameter :: extended = merge(10, kind(1d0), selected_real_kind(18) == 10)
  integer, parameter :: quad = merge(16, kind(1d0), selected_real_kind(33) == 16)
  integer, parameter :: long = merge(16, 8, selected_int_kind(38) == 16)
  integer, parameter :: ranges(*) = [MPI_UNDEFINED, 0, 4, 5, 37, 38, 307, 308, 400, 4931, 4932]
  integer :: ierr, p, i
  call MPI_Init(ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  do p = -1, 40
    do i = 1, size(ranges)
      call one(merge(MPI_UNDEFINED, p, p < 0), ranges(i))
    end do
  end do
  do i = 0, 40
    call one_integer(i)
  end do
  call finish_checks()
  call MPI_Finalize(ierr)

contains

  integer function chosen(p, r)
    integer, intent(in) :: p, r
    if (r == MPI_UNDEFINED) then
      chosen = selected_real_kind(p)
    else if (p == MPI_UNDEFINED) then
      chosen = selected_real_kind(r=r)
    else
      chosen = selected_real_kind(p, r)
    end if
  end function

  subroutine one(p, r)
    integer, intent(in) :: p, r
    TYPE_T :: real_type, complex_type
    real(half) :: h(2)
    real(kind(1.0)) :: s(2)
    real(kind(1d0)) :: d(2)
    real(extended) :: x(2)
    real(quad) :: q(2)
    complex(half) :: ch(2)
    complex(kind(1.0)) :: cs(2)
    complex(kind(1d0)) :: cd(2)
    complex(extended) :: cx(2)
    complex(quad) :: cq(2)
    integer :: wanted, real_error, complex_error
    integer(MPI_ADDRESS_KIND), parameter :: room = 64
    integer(MPI_ADDRESS_KIND) :: length, place
    character :: bytes(room)
    call MPI_Type_create_f90_real(p, r, real_type, real_error)
    call MPI_Type_create_f90_complex(p, r, complex_type, complex_error)
    if (p == MPI_UNDEFINED .and. r == MPI_UNDEFINED) then
      CHECK(real_error /= MPI_SUCCESS .and. complex_error /= MPI_SUCCESS)
      return
    end if
    wanted = chosen(p, r)
    if (wanted < 0 .or. wanted == 3) then  ! no kind, or one of 16 bits for which MPI has no type
      CHECK(real_error /= MPI_SUCCESS .and. complex_error /= MPI_SUCCESS)
      return
    end if
    CHECK(real_error == MPI_SUCCESS .and. complex_error == MPI_SUCCESS)
    if (real_error /= MPI_SUCCESS .or. complex_error /= MPI_SUCCESS) return
#define SUM_OF(a, type) a(1) = 1; a(2) = 2; call MPI_Reduce_local(a(1), a(2), 1, type, MPI_SUM, ierr); CHECK(a(2) == 3)
#define PACKED(a, type) call MPI_Pack_external("external32", a(2), 1, type, bytes, room, length, ierr)
#define UNPACKED(a, type) call MPI_Unpack_external("external32", bytes, room, place, a(1), 1, type, ierr)
#define THERE_AND_BACK(a, type) length = 0; place = 0; PACKED(a, type); UNPACKED(a, type)
#define EXTERNAL(a, type, size) THERE_AND_BACK(a, type); CHECK(length == size .and. a(1) == 3)
#define ALIKE(a, b) CHECK(has_size(real_type, storage_size(a) / 8)); CHECK(has_size(complex_type, storage_size(b) / 8))
    if (wanted == half .and. half /= kind(1.0)) then
      SUM_OF(h, real_type)
      SUM_OF(ch, complex_type)
      ALIKE(h, ch)
    else if (wanted == kind(1.0)) then
      SUM_OF(s, real_type)
      SUM_OF(cs, complex_type)
      ALIKE(s, cs)
    else if (wanted == kind(1d0)) then
      SUM_OF(d, real_type)
      SUM_OF(cd, complex_type)
      ALIKE(d, cd)
    else if (wanted == extended) then
      SUM_OF(x, real_type)
      SUM_OF(cx, complex_type)
      ALIKE(x, cx)
      EXTERNAL(x, real_type, 16)
      EXTERNAL(cx, complex_type, 32)
    else if (wanted == quad) then
      SUM_OF(q, real_type)
      SUM_OF(cq, complex_type)
      ALIKE(q, cq)
      EXTERNAL(q, real_type, 16)
      EXTERNAL(cq, complex_type, 32)
    else  ! flang 22 has kind 16 at run time, but no variables of it
      CHECK(wanted == 16 .and. quad /= 16)
    end if
    call tells_of_itself(real_type, MPI_COMBINER_F90_REAL, [p, r])
    call tells_of_itself(complex_type, MPI_COMBINER_F90_COMPLEX, [p, r])
  end subroutine

  subroutine one_integer(r)
    integer, intent(in) :: r
    TYPE_T :: type
    integer(selected_int_kind(2)) :: i1(2)
    integer(selected_int_kind(4)) :: i2(2)
    integer(selected_int_kind(9)) :: i4(2)
    integer(selected_int_kind(18)) :: i8(2)
    integer(long) :: i16(2)
    integer :: wanted, error
    wanted = selected_int_kind(r)
    call MPI_Type_create_f90_integer(r, type, error)
    CHECK((error == MPI_SUCCESS) .eqv. (wanted > 0))
    if (error /= MPI_SUCCESS) return
    CHECK(has_size(type, wanted))  ! a kind is its number of bytes
    select case (wanted)
    case (1)
      SUM_OF(i1, type)
    case (2)
      SUM_OF(i2, type)
    case (4)
      SUM_OF(i4, type)
    case (8)
      SUM_OF(i8, type)
    case default
      SUM_OF(i16, type)
    end select
    call tells_of_itself(type, MPI_COMBINER_F90_INTEGER, [r])
  end subroutine

  logical function has_size(type, bytes)
    TYPE_T, intent(in) :: type
    integer, intent(in) :: bytes
    integer :: size
    integer(MPI_ADDRESS_KIND) :: lb, extent
    call MPI_Type_size(type, size, ierr)
    call MPI_Type_get_extent(type, lb, extent, ierr)
    has_size = size == bytes .and. extent == bytes
  end function

  subroutine tells_of_itself(type, combiner, arguments)
    TYPE_T, intent(in) :: type
    integer, intent(in) :: combiner, arguments(:)
    TYPE_T :: none(1)
    integer :: integers(2), ni, na, nt, found
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    call MPI_Type_get_envelope(type, ni, na, nt, found, ierr)
    CHECK(found == combiner .and. ni == size(arguments) .and. na == 0 .and. nt == 0)
    call MPI_Type_get_contents(type, ni, 0, 0, integers, addresses, none, ierr)
    CHECK(all(integers(1:ni) == arguments))
  end subroutine

end program
