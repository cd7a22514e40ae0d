! SPDX-License-Identifier: BSD-3-Clause
! One program for the three interfaces of Fortran: compiled with MPI_MODULE as mpi_f08 or mpi, or without it for mpif.h.
! Lines that begin with USE_MPI and WITH_MPI stand where `use` and `include` would.
#ifdef WITH_F08
#define USE_MPI use mpi_f08
#define WITH_MPI
#define COMM_T type(MPI_Comm)
#define TYPE_T type(MPI_Datatype)
#define OP_T type(MPI_Op)
#define REQUEST_T type(MPI_Request)
#define STATUS_T type(MPI_Status)
#define INFO_T type(MPI_Info)
#define ERRHANDLER_T type(MPI_Errhandler)
#define GROUP_T type(MPI_Group)
#define SOURCE_OF(status) status % MPI_SOURCE
#define TAG_OF(status) status % MPI_TAG
#define ERROR_OF(status) status % MPI_ERROR
#else
#ifdef WITH_MODULE
#define USE_MPI use mpi
#define WITH_MPI
#else
#define USE_MPI
#define WITH_MPI include 'mpif.h'
#endif
#define COMM_T integer
#define TYPE_T integer
#define OP_T integer
#define REQUEST_T integer
#define STATUS_T integer, dimension(MPI_STATUS_SIZE)
#define INFO_T integer
#define ERRHANDLER_T integer
#define GROUP_T integer
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#define ERROR_OF(status) status(MPI_ERROR)
#endif
#define CHECK(condition) call check_that(condition, __FILE__, __LINE__)
