! SPDX-License-Identifier: BSD-3-Clause
! The checks of a test program: a rank that made none, or for which one failed, ends with an error.
module check
  implicit none
  private
  public :: check_that, finish_checks
  integer :: made = 0, failed = 0

contains

  subroutine check_that(right, file, line)
    logical, intent(in) :: right
    character(len=*), intent(in) :: file
    integer, intent(in) :: line
    made = made + 1
    if (right) return
    failed = failed + 1
    write (*, '(a, ":", i0, a)') file(index(file, "/", back=.true.) + 1:), line, ": this does not hold"
    flush (6)
  end subroutine

  subroutine finish_checks()
    if (made == 0) error stop "no check was made"
    if (failed > 0) error stop 1
  end subroutine

end module
