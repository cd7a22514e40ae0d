// SPDX-License-Identifier: BSD-3-Clause
// Functions that MPI-3.0 removed, and that old programs call.
#include "front/functions.hpp"
#include "front/values.hpp"

#pragma GCC visibility push(default)

extern "C" {

int PMPI_Address(void* location, MPI_Aint* address) {
  return front::out_code(bowline_PMPI_Get_address(location, address));
}

int PMPI_Errhandler_create(abi::Comm_errhandler_function* function, abi::Errhandler* errhandler) {
  return front::comm_create_errhandler(function, errhandler);
}

int PMPI_Errhandler_get(abi::Comm comm, abi::Errhandler* errhandler) {
  MPI_Errhandler standard = MPI_ERRHANDLER_NULL;
  const int code = bowline_PMPI_Comm_get_errhandler(abi::in_comm(comm), errhandler == nullptr ? nullptr : &standard);
  if (code == MPI_SUCCESS) *errhandler = abi::out_errhandler(standard);
  return front::out_code(code);
}

int PMPI_Errhandler_set(abi::Comm comm, abi::Errhandler errhandler) {
  return front::out_code(bowline_PMPI_Comm_set_errhandler(abi::in_comm(comm), abi::in_errhandler(errhandler)));
}

int PMPI_Type_extent(abi::Datatype type, MPI_Aint* extent) {
  MPI_Aint lower_bound = 0;
  return front::out_code(bowline_PMPI_Type_get_extent(abi::in_type(type), &lower_bound, extent));
}

int PMPI_Type_lb(abi::Datatype type, MPI_Aint* displacement) {
  MPI_Aint extent = 0;
  return front::out_code(bowline_PMPI_Type_get_extent(abi::in_type(type), displacement, &extent));
}

int PMPI_Type_ub(abi::Datatype type, MPI_Aint* displacement) {
  MPI_Aint lower_bound = 0;
  MPI_Aint extent = 0;
  const int code =
      bowline_PMPI_Type_get_extent(abi::in_type(type), &lower_bound, displacement == nullptr ? nullptr : &extent);
  if (code == MPI_SUCCESS) *displacement = lower_bound + extent;
  return front::out_code(code);
}

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, abi::Datatype oldtype, abi::Datatype* newtype) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = bowline_PMPI_Type_create_hvector(count, blocklength, stride, abi::in_type(oldtype),
                                                    newtype == nullptr ? nullptr : &made);
  if (code == MPI_SUCCESS) *newtype = abi::out_type(made);
  return front::out_code(code);
}

int PMPI_Type_hindexed(int count, int* blocklengths, MPI_Aint* displacements, abi::Datatype oldtype,
                       abi::Datatype* newtype) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int code = bowline_PMPI_Type_create_hindexed(count, blocklengths, displacements, abi::in_type(oldtype),
                                                     newtype == nullptr ? nullptr : &made);
  if (code == MPI_SUCCESS) *newtype = abi::out_type(made);
  return front::out_code(code);
}

int PMPI_Type_struct(int count, int* blocklengths, MPI_Aint* displacements, abi::Datatype* types,
                     abi::Datatype* newtype) {
  return front::type_create_struct(count, blocklengths, displacements, types, newtype);
}

#define FRONT_ALIAS(name) decltype(PMPI_##name) MPI_##name __attribute__((weak, alias("PMPI_" #name)))
FRONT_ALIAS(Address);
FRONT_ALIAS(Errhandler_create);
FRONT_ALIAS(Errhandler_get);
FRONT_ALIAS(Errhandler_set);
FRONT_ALIAS(Type_extent);
FRONT_ALIAS(Type_lb);
FRONT_ALIAS(Type_ub);
FRONT_ALIAS(Type_hvector);
FRONT_ALIAS(Type_hindexed);
FRONT_ALIAS(Type_struct);

}  // extern "C"
