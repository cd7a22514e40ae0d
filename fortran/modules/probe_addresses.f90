! SPDX-License-Identifier: BSD-3-Clause
! Finds out whether this compiler can be told to pass a buffer of any type and rank by address. Ends with status 0 if
! all is right.
module probe
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine bowline_is_address(buffer, address, right)
      import :: c_ptr
      !DIR$ IGNORE_TKR buffer
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DEC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), intent(in) :: buffer(*)
      type(c_ptr) :: address
      integer, intent(out) :: right
    end subroutine
  end interface
end module

program probe_addresses
  use probe
  implicit none
  real(c_double), target :: scalar
  integer, target :: matrix(4, 5)
  complex, target :: cube(2, 3, 4)
  integer :: right
  call bowline_is_address(scalar, c_loc(scalar), right)
  if (right == 0) stop 1
  call bowline_is_address(matrix, c_loc(matrix), right)
  if (right == 0) stop 1
  call bowline_is_address(matrix(2, 3), c_loc(matrix(2, 3)), right)
  if (right == 0) stop 1
  call bowline_is_address(cube, c_loc(cube), right)
  if (right == 0) stop 1
end program
