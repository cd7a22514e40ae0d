// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls, fourth part: datatypes and packing.
#pragma once

#include <cstdint>

#include "arguments_table.hpp"

namespace arguments {

inline void Table::datatypes() {
  static MPI_Datatype made;
  static int number;
  static const int lengths[] = {1, -1}, places[] = {0, 3}, sizes[] = {4, 4}, grid[] = {2, 2}, zero[] = {0, 0};
  static const MPI_Aint bytes[] = {0, 8};
  static const MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
  static int data[16];
  const auto null = [] { return MPI_DATATYPE_NULL; };
  const auto freed = [] {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_set_name(type, "spent");
    const MPI_Datatype handle = type;
    MPI_Type_free(&type);
    return handle;
  };
  for (const std::function<MPI_Datatype()>& make : {std::function<MPI_Datatype()>(null), {freed}}) {
    const auto in_place = [make](int (*call)(MPI_Datatype*)) {
      return [make, call] {
        MPI_Datatype type = make();
        return call(&type);
      };
    };
    add("MPI_Type_commit", "datatype", MPI_ERR_TYPE, in_place([](MPI_Datatype* t) { return MPI_Type_commit(t); }));
    add("MPI_Type_free", "datatype", MPI_ERR_TYPE, in_place([](MPI_Datatype* t) { return MPI_Type_free(t); }));
    add("MPI_Type_size", "datatype", MPI_ERR_TYPE, [make] { return MPI_Type_size(make(), &number); });
    add("MPI_Type_dup", "oldtype", MPI_ERR_TYPE, [make] { return MPI_Type_dup(make(), &made); });
    add("MPI_Type_vector", "oldtype", MPI_ERR_TYPE, [make] { return MPI_Type_vector(1, 1, 1, make(), &made); });
    add("MPI_Send", "datatype", MPI_ERR_TYPE,
        [make] { return MPI_Send(data, 1, make(), check::rank, 700, MPI_COMM_WORLD); });
  }
  add("MPI_Type_free", "datatype", MPI_ERR_TYPE, [] {
    MPI_Datatype type = MPI_INT;
    return MPI_Type_free(&type);
  });
  add("MPI_Type_contiguous", "count", MPI_ERR_COUNT, [] { return MPI_Type_contiguous(-1, MPI_INT, &made); });
  add("MPI_Type_contiguous", "newtype", MPI_ERR_ARG, [] { return MPI_Type_contiguous(1, MPI_INT, nullptr); });
  add("MPI_Type_vector", "blocklength", MPI_ERR_COUNT, [] { return MPI_Type_vector(1, -1, 1, MPI_INT, &made); });
  add("MPI_Type_indexed", "array_of_blocklengths", MPI_ERR_ARG,
      [] { return MPI_Type_indexed(2, lengths, places, MPI_INT, &made); });
  add("MPI_Type_indexed", "array_of_displacements", MPI_ERR_ARG,
      [] { return MPI_Type_indexed(1, lengths, nullptr, MPI_INT, &made); });
  add("MPI_Type_create_struct", "array_of_types", MPI_ERR_TYPE,
      [] { return MPI_Type_create_struct(2, grid, bytes, types, &made); });
  add("MPI_Type_create_subarray", "ndims", MPI_ERR_ARG,
      [] { return MPI_Type_create_subarray(0, sizes, grid, zero, MPI_ORDER_C, MPI_INT, &made); });
  add("MPI_Type_create_subarray", "array_of_subsizes", MPI_ERR_ARG,
      [] { return MPI_Type_create_subarray(2, grid, sizes, zero, MPI_ORDER_C, MPI_INT, &made); });
  add("MPI_Type_create_subarray", "array_of_starts", MPI_ERR_ARG,
      [] { return MPI_Type_create_subarray(2, sizes, grid, places, MPI_ORDER_C, MPI_INT, &made); });
  add("MPI_Type_create_subarray", "order", MPI_ERR_ARG,
      [] { return MPI_Type_create_subarray(2, sizes, grid, zero, 99, MPI_INT, &made); });
  add("MPI_Type_create_darray", "array_of_distribs", MPI_ERR_ARG,
      [] { return MPI_Type_create_darray(4, 0, 2, sizes, zero, grid, grid, MPI_ORDER_C, MPI_INT, &made); });
  add("MPI_Type_create_darray", "size", MPI_ERR_ARG,
      [] { return MPI_Type_create_darray(5, 0, 2, sizes, zero, grid, grid, MPI_ORDER_C, MPI_INT, &made); });
  add("MPI_Type_contiguous_c", "", MPI_ERR_ARG, [] { return MPI_Type_contiguous_c(INT64_MAX, MPI_INT, &made); });
  add("MPI_Type_get_contents", "datatype", MPI_ERR_TYPE, [] {
    MPI_Aint address;
    return MPI_Type_get_contents(MPI_INT, 1, 1, 1, &number, &address, &made);
  });
  add("MPI_Type_create_f90_real", "p", MPI_ERR_ARG, [] { return MPI_Type_create_f90_real(40, 5, &made); });
  add("MPI_Type_match_size", "size", MPI_ERR_ARG, [] { return MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &made); });
  add("MPI_Pack", "outbuf", MPI_ERR_TRUNCATE, [] {
    number = 0;
    return MPI_Pack(data, 2, MPI_INT, data + 8, 7, &number, MPI_COMM_WORLD);
  });
  add("MPI_Unpack", "position", MPI_ERR_ARG, [] {
    number = -1;
    return MPI_Unpack(data, 8, &number, data + 8, 1, MPI_INT, MPI_COMM_WORLD);
  });
  add("MPI_Pack_external_size", "datarep", MPI_ERR_ARG, [] {
    MPI_Aint size;
    return MPI_Pack_external_size("internal", 1, MPI_INT, &size);
  });
}

}  // namespace arguments
