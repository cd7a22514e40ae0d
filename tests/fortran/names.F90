! SPDX-License-Identifier: BSD-3-Clause
! Published names: blanks at the end of a name count as none, and a port name is padded with blanks.
#include "forms.h"

program names
  USE_MPI
  use check
  implicit none
  WITH_MPI
  integer :: rank, ierr, code, class, length
  character(len=MPI_MAX_PORT_NAME) :: port
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=40) :: name
  INFO_T :: info

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
  write (name, '(a, i0)') "of Fortran, rank ", rank
  port = "to begin with"

  call MPI_Publish_name(name // "  ", MPI_INFO_NULL, port, ierr)
  CHECK(ierr == MPI_SUCCESS)
  port = repeat("z", MPI_MAX_PORT_NAME)
  call MPI_Lookup_name(name, MPI_INFO_NULL, port, ierr)
  CHECK(ierr == MPI_SUCCESS .and. port == "to begin with")
  CHECK(port(14:) == " ")

  call MPI_Publish_name(name, MPI_INFO_NULL, "another port", ierr)
  code = ierr
  call MPI_Error_class(code, class, ierr)
  CHECK(class == MPI_ERR_SERVICE)
  call MPI_Error_string(MPI_ERR_SERVICE, text, length, ierr)
  CHECK(index(text, "is published already, by process") > 0)

  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, "bowline_wait", "true", ierr)
  call MPI_Info_set(info, "timeout", "20", ierr)
  call MPI_Lookup_name(name, info, port, ierr)
  CHECK(ierr == MPI_SUCCESS .and. port == "to begin with")
  call MPI_Info_free(info, ierr)

  call MPI_Unpublish_name(name, MPI_INFO_NULL, "to begin with", ierr)
  CHECK(ierr == MPI_SUCCESS)
  call MPI_Lookup_name(name, MPI_INFO_NULL, port, ierr)
  code = ierr
  call MPI_Error_class(code, class, ierr)
  CHECK(class == MPI_ERR_NAME)
  call MPI_Finalize(ierr)
  call finish_checks()
end program
