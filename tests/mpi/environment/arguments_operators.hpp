// SPDX-License-Identifier: BSD-3-Clause
// The table of wrong calls, third part: operators, and the reductions as far as their operator is concerned.
#pragma once

#include "arguments_table.hpp"

namespace arguments {

inline void Table::operators() {
  static int left[4], right[4];
  static MPI_Op op;
  static int commute;
  const auto freed = [] {
    MPI_Op made = MPI_OP_NULL;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &made);
    MPI_Op handle = made;
    MPI_Op_free(&handle);
    return made;
  };
  const auto null = [] { return MPI_OP_NULL; };
  const auto predefined = [] { return MPI_SUM; };

  add("MPI_Op_create", "user_fn", MPI_ERR_ARG, [] { return MPI_Op_create(nullptr, 1, &op); });
  add("MPI_Op_create", "op", MPI_ERR_ARG,
      [] { return MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, nullptr); });
  add("MPI_Op_create_c", "user_fn", MPI_ERR_ARG, [] { return MPI_Op_create_c(nullptr, 1, &op); });
  add("MPI_Op_free", "op", MPI_ERR_ARG, [] { return MPI_Op_free(nullptr); });
  add("MPI_Op_commutative", "commute", MPI_ERR_ARG, [] { return MPI_Op_commutative(MPI_SUM, nullptr); });
  for (const std::function<MPI_Op()>& make : {std::function<MPI_Op()>(null), {predefined}, {freed}}) {
    add("MPI_Op_free", "op", MPI_ERR_OP, [make] {
      op = make();
      return MPI_Op_free(&op);
    });
  }
  for (const std::function<MPI_Op()>& make : {std::function<MPI_Op()>(null), {freed}}) {
    add("MPI_Op_commutative", "op", MPI_ERR_OP, [make] { return MPI_Op_commutative(make(), &commute); });
    add("MPI_Reduce_local", "op", MPI_ERR_OP, [make] { return MPI_Reduce_local(left, right, 1, MPI_INT, make()); });
    add("MPI_Allreduce", "op", MPI_ERR_OP,
        [make] { return MPI_Allreduce(left, right, 1, MPI_INT, make(), MPI_COMM_WORLD); });
    add("MPI_Reduce", "op", MPI_ERR_OP,
        [make] { return MPI_Reduce(left, right, 1, MPI_INT, make(), 0, MPI_COMM_WORLD); });
  }

  // A pair of operator and type that nobody has; every pair is in the unit tests, what others have in leniency.cpp.
  struct Forbidden {
    MPI_Op op;
    MPI_Datatype type;
  };
  for (const Forbidden& pair : {Forbidden{MPI_SUM, MPI_WCHAR},
                                {MPI_BAND, MPI_FLOAT},
                                {MPI_LAND, MPI_C_FLOAT_COMPLEX},
                                {MPI_MAX, MPI_C_BOOL},
                                {MPI_MAXLOC, MPI_INT},
                                {MPI_MIN, MPI_C_FLOAT_COMPLEX},
                                {MPI_REPLACE, MPI_INT},
                                {MPI_NO_OP, MPI_INT},
                                {MPI_SUM, MPI_PACKED}}) {
    add("MPI_Reduce_local", "op", MPI_ERR_OP, [pair] { return MPI_Reduce_local(left, right, 1, pair.type, pair.op); });
    add("MPI_Allreduce", "op", MPI_ERR_OP,
        [pair] { return MPI_Allreduce(left, right, 1, pair.type, pair.op, MPI_COMM_WORLD); });
  }

  add("MPI_Reduce_local", "inbuf", MPI_ERR_BUFFER,
      [] { return MPI_Reduce_local(MPI_IN_PLACE, right, 1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local", "inbuf", MPI_ERR_BUFFER,
      [] { return MPI_Reduce_local(nullptr, right, 1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local", "inoutbuf", MPI_ERR_BUFFER,
      [] { return MPI_Reduce_local(left, nullptr, 1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local", "inoutbuf", MPI_ERR_BUFFER, [] { return MPI_Reduce_local(left, left, 1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local", "count", MPI_ERR_COUNT, [] { return MPI_Reduce_local(left, right, -1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local_c", "count", MPI_ERR_COUNT,
      [] { return MPI_Reduce_local_c(left, right, -1, MPI_INT, MPI_SUM); });
  add("MPI_Reduce_local", "datatype", MPI_ERR_TYPE,
      [] { return MPI_Reduce_local(left, right, 1, MPI_DATATYPE_NULL, MPI_SUM); });
}

}  // namespace arguments
