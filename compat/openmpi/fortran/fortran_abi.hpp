// SPDX-License-Identifier: BSD-3-Clause
// What the procedures for Fortran need to know of Open MPI's ABI. fortran/abi/standard/fortran_abi.hpp says what each
// definition is for.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>

extern "C" {
// COMMON blocks of mpif.h and variables of the modules; the front end defines them. A program that has such a COMMON
// block defines the variable itself, and the libraries use that one.
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
extern int mpi_fortran_errcodes_ignore_;
extern char mpi_fortran_argv_null_;
extern char mpi_fortran_argvs_null_;
extern double mpi_fortran_status_ignore_;
extern double mpi_fortran_statuses_ignore_;
}
#pragma GCC visibility pop

#include "fortran/front_interface.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

namespace sentinel {
inline bool is_bottom(const void* address) noexcept {
  return address == &mpi_fortran_bottom_;
}
inline bool is_in_place(const void* address) noexcept {
  return address == &mpi_fortran_in_place_;
}
inline bool is_buffer_automatic(const void*) noexcept {
  return false;  // Open MPI's modules do not have it
}
inline const void* buffer_automatic() noexcept {
  return nullptr;
}
inline bool is_unweighted(const void* address) noexcept {
  return address == &mpi_fortran_unweighted_;
}
inline bool is_weights_empty(const void* address) noexcept {
  return address == &mpi_fortran_weights_empty_;
}
inline bool is_errcodes_ignore(const void* address) noexcept {
  return address == &mpi_fortran_errcodes_ignore_;
}
inline bool is_status_ignore(const void* status) noexcept {
  return status == &mpi_fortran_status_ignore_;
}
inline bool is_statuses_ignore(const void* statuses) noexcept {
  return statuses == &mpi_fortran_statuses_ignore_;
}
inline bool is_argv_null(const void* address) noexcept {
  return address == &mpi_fortran_argv_null_;
}
inline bool is_argvs_null(const void* address) noexcept {
  return address == &mpi_fortran_argvs_null_;
}
}  // namespace sentinel

inline constexpr int status_integers = 6;

// Its procedures get no descriptors; this is for code that every ABI shares.
using Descriptor = DescriptorWith<LayoutOfC>;

inline MPI_Comm converted(MPI_Fint number, MPI_Comm) {
  return PMPI_Comm_fromint(number);
}
inline MPI_Datatype converted(MPI_Fint number, MPI_Datatype) {
  return PMPI_Type_fromint(number);
}
inline MPI_Errhandler converted(MPI_Fint number, MPI_Errhandler) {
  return PMPI_Errhandler_fromint(number);
}
inline MPI_File converted(MPI_Fint number, MPI_File) {
  return PMPI_File_fromint(number);
}
inline MPI_Group converted(MPI_Fint number, MPI_Group) {
  return PMPI_Group_fromint(number);
}
inline MPI_Info converted(MPI_Fint number, MPI_Info) {
  return PMPI_Info_fromint(number);
}
inline MPI_Message converted(MPI_Fint number, MPI_Message) {
  return PMPI_Message_fromint(number);
}
inline MPI_Op converted(MPI_Fint number, MPI_Op) {
  return PMPI_Op_fromint(number);
}
inline MPI_Request converted(MPI_Fint number, MPI_Request) {
  return PMPI_Request_fromint(number);
}
inline MPI_Session converted(MPI_Fint number, MPI_Session) {
  return PMPI_Session_fromint(number);
}
inline MPI_Win converted(MPI_Fint number, MPI_Win) {
  return PMPI_Win_fromint(number);
}

template <class Handle>
Handle handle_of(MPI_Fint number) {
  return converted(number, Handle{});
}

inline MPI_Fint number_of(MPI_Comm handle) {
  return PMPI_Comm_toint(handle);
}
inline MPI_Fint number_of(MPI_Datatype handle) {
  return PMPI_Type_toint(handle);
}
inline MPI_Fint number_of(MPI_Errhandler handle) {
  return PMPI_Errhandler_toint(handle);
}
inline MPI_Fint number_of(MPI_File handle) {
  return PMPI_File_toint(handle);
}
inline MPI_Fint number_of(MPI_Group handle) {
  return PMPI_Group_toint(handle);
}
inline MPI_Fint number_of(MPI_Info handle) {
  return PMPI_Info_toint(handle);
}
inline MPI_Fint number_of(MPI_Message handle) {
  return PMPI_Message_toint(handle);
}
inline MPI_Fint number_of(MPI_Op handle) {
  return PMPI_Op_toint(handle);
}
inline MPI_Fint number_of(MPI_Request handle) {
  return PMPI_Request_toint(handle);
}
inline MPI_Fint number_of(MPI_Session handle) {
  return PMPI_Session_toint(handle);
}
inline MPI_Fint number_of(MPI_Win handle) {
  return PMPI_Win_toint(handle);
}

}  // namespace bowline::fortran
