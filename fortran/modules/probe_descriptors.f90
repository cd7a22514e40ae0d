! SPDX-License-Identifier: BSD-3-Clause
! Finds out whether mpi_f08 can pass descriptors of choice buffers with this compiler. libmpifort_abi checks that it can
! read the descriptor of each section, and that the section was not copied. Afterwards a variable with the attribute
! ASYNCHRONOUS is changed behind the compiler's back. Ends with status 0 if all is right.
module probe
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    ! Whether the descriptor says this: `strides` in bytes.
    function is_section(section, first, element, rank, extents, strides) bind(C, name="bowline_is_section")
      import :: c_int, c_ptr, c_size_t, c_intptr_t
      type(*), dimension(..), intent(in), asynchronous :: section
      type(c_ptr), value :: first
      integer(c_size_t), value :: element
      integer(c_int), value :: rank
      integer(c_intptr_t), intent(in) :: extents(*), strides(*)
      integer(c_int) :: is_section
    end function
    ! Remembers the address of an integer.
    subroutine remember(buffer, ierror) bind(C, name="bowline_remember")
      import :: c_int
      type(*), dimension(..), asynchronous :: buffer
      integer, optional, intent(out) :: ierror
    end subroutine
    ! Adds one to it.
    subroutine add_one() bind(C, name="bowline_add_one")
    end subroutine
    ! The length of a string.
    function length_of(text) bind(C, name="bowline_length_of")
      import :: c_int
      character(len=*), intent(in) :: text
      integer(c_int) :: length_of
    end function
  end interface

  type :: particle
    sequence
    integer(c_int) :: i
    real(c_float) :: x
    real(c_double) :: y
  end type

contains

  subroutine check(right)
    integer(c_int), intent(in) :: right
    if (right == 0) stop 1
  end subroutine

  subroutine assumed_size(a)
    real(c_float), target, intent(in) :: a(*)
    integer(c_intptr_t) :: none(1)
    none = 0
    call check(is_section(a(1:0), c_null_ptr, 4_c_size_t, 1, [0_c_intptr_t], none))
  end subroutine

  subroutine assumed_shape(a, first, extent, stride)
    real(c_float), target, intent(in) :: a(:)
    type(c_ptr), intent(in) :: first
    integer(c_intptr_t), intent(in) :: extent, stride
    call check(is_section(a, first, 4_c_size_t, 1, [extent], [stride]))
  end subroutine

  integer function changed_meanwhile()
    integer, asynchronous :: number
    number = 41
    call remember(number)
    call add_one()
    changed_meanwhile = number
  end function
end module

program probe_descriptors
  use probe
  implicit none
  real(c_float), target :: a(10, 12)
  type(particle), target :: q(8)
  character(len=6), target :: words(5)
  integer(c_intptr_t), parameter :: real_row = 40

  call check(is_section(a(3, 4), c_loc(a(3, 4)), 4_c_size_t, 0, [0_c_intptr_t], [0_c_intptr_t]))
  call check(is_section(a, c_loc(a), 4_c_size_t, 2, [10_c_intptr_t, 12_c_intptr_t], [4_c_intptr_t, real_row]))
  call check(is_section(a(2:9:3, 12:1:-4), c_loc(a(2, 12)), 4_c_size_t, 2, [3_c_intptr_t, 3_c_intptr_t], &
      [12_c_intptr_t, -4 * real_row]))
  call check(is_section(q%x, c_loc(q(1)%x), 4_c_size_t, 1, [8_c_intptr_t], [16_c_intptr_t]))
  call check(is_section(q(2:8:3)%y, c_loc(q(2)%y), 8_c_size_t, 1, [3_c_intptr_t], [48_c_intptr_t]))
  call check(is_section(words(:)(2:4), c_loc(words(1)(2:2)), 3_c_size_t, 1, [5_c_intptr_t], [6_c_intptr_t]))
  call assumed_size(a)
  call assumed_shape(a(7, 2:12:5), c_loc(a(7, 2)), 3_c_intptr_t, 5 * real_row)
  if (length_of("external32  ") /= 12) stop 2
  if (changed_meanwhile() /= 42) stop 3
end program
