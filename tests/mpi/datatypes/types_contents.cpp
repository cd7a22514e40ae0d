// SPDX-License-Identifier: BSD-3-Clause
// How datatypes were made: envelope and contents of each constructor, small and large, and the examples of the seeds.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

struct Contents {
  int combiner = 0;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Datatype> types;
};

Contents contents(MPI_Datatype type) {
  Contents found;
  MPI_Count integers, addresses, counts, types;
  CHECK_EQ(MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &found.combiner), MPI_SUCCESS);
  found.integers.resize(static_cast<std::size_t>(integers));
  found.addresses.resize(static_cast<std::size_t>(addresses));
  found.counts.resize(static_cast<std::size_t>(counts));
  found.types.resize(static_cast<std::size_t>(types));
  if (found.combiner == MPI_COMBINER_NAMED) return found;
  CHECK_EQ(MPI_Type_get_contents_c(type, integers, addresses, counts, types, found.integers.data(),
                                   found.addresses.data(), found.counts.data(), found.types.data()),
           MPI_SUCCESS);
  return found;
}

using Ints = std::vector<int>;
using Aints = std::vector<MPI_Aint>;
using Counts = std::vector<MPI_Count>;

void expect(MPI_Datatype type, int combiner, const Ints& integers, const Aints& addresses, const Counts& counts) {
  const Contents found = contents(type);
  CHECK_EQ(found.combiner, combiner);
  CHECK(found.integers == integers);
  CHECK(found.addresses == addresses);
  CHECK(found.counts == counts);
  CHECK(!found.types.empty() && found.types[0] == MPI_INT);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
}

void small_forms() {
  MPI_Datatype t;
  const std::array<int, 2> lengths{2, 1}, places{0, 4};
  const std::array<MPI_Aint, 2> bytes{0, 16};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
  MPI_Type_dup(MPI_INT, &t);
  expect(t, MPI_COMBINER_DUP, {}, {}, {});
  MPI_Type_contiguous(3, MPI_INT, &t);
  expect(t, MPI_COMBINER_CONTIGUOUS, {3}, {}, {});
  MPI_Type_vector(3, 2, -4, MPI_INT, &t);
  expect(t, MPI_COMBINER_VECTOR, {3, 2, -4}, {}, {});
  MPI_Type_create_hvector(3, 2, -40, MPI_INT, &t);
  expect(t, MPI_COMBINER_HVECTOR, {3, 2}, {-40}, {});
  MPI_Type_indexed(2, lengths.data(), places.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_INDEXED, {2, 2, 1, 0, 4}, {}, {});
  MPI_Type_create_hindexed(2, lengths.data(), bytes.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_HINDEXED, {2, 2, 1}, {0, 16}, {});
  MPI_Type_create_indexed_block(2, 3, places.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_INDEXED_BLOCK, {2, 3, 0, 4}, {}, {});
  MPI_Type_create_hindexed_block(2, 3, bytes.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_HINDEXED_BLOCK, {2, 3}, {0, 16}, {});
  MPI_Type_create_struct(2, lengths.data(), bytes.data(), types.data(), &t);
  expect(t, MPI_COMBINER_STRUCT, {2, 2, 1}, {0, 16}, {});
  MPI_Type_create_resized(MPI_INT, -4, 12, &t);
  expect(t, MPI_COMBINER_RESIZED, {}, {-4, 12}, {});
  const std::array<int, 2> sizes{4, 5}, subsizes{2, 3}, starts{1, 2};
  MPI_Type_create_subarray(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN, MPI_INT, &t);
  expect(t, MPI_COMBINER_SUBARRAY, {2, 4, 5, 2, 3, 1, 2, MPI_ORDER_FORTRAN}, {}, {});
  const std::array<int, 2> distribs{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const std::array<int, 2> dargs{MPI_DISTRIBUTE_DFLT_DARG, 2}, grid{2, 3};
  MPI_Type_create_darray(6, 4, 2, sizes.data(), distribs.data(), dargs.data(), grid.data(), MPI_ORDER_C, MPI_INT, &t);
  expect(t, MPI_COMBINER_DARRAY,
         {6, 4, 2, 4, 5, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3, MPI_ORDER_C},
         {}, {});
}

void large_forms() {
  MPI_Datatype t;
  const std::array<MPI_Count, 2> lengths{2, 1}, places{0, 4}, sizes{4, 5}, subsizes{2, 3}, starts{1, 2};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
  MPI_Type_contiguous_c(3, MPI_INT, &t);
  int small = 0, combiner = 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Type_get_envelope(t, &small, &small, &small, &combiner), MPI_ERR_TYPE);
  expect(t, MPI_COMBINER_CONTIGUOUS, {}, {}, {3});
  MPI_Type_vector_c(3, 2, -4, MPI_INT, &t);
  expect(t, MPI_COMBINER_VECTOR, {}, {}, {3, 2, -4});
  MPI_Type_create_hvector_c(3, 2, -40, MPI_INT, &t);
  expect(t, MPI_COMBINER_HVECTOR, {}, {}, {3, 2, -40});
  MPI_Type_indexed_c(2, lengths.data(), places.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_INDEXED, {}, {}, {2, 2, 1, 0, 4});
  MPI_Type_create_hindexed_c(2, lengths.data(), places.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_HINDEXED, {}, {}, {2, 2, 1, 0, 4});
  MPI_Type_create_indexed_block_c(2, 3, places.data(), MPI_INT, &t);
  expect(t, MPI_COMBINER_INDEXED_BLOCK, {}, {}, {2, 3, 0, 4});
  MPI_Type_create_struct_c(2, lengths.data(), places.data(), types.data(), &t);
  expect(t, MPI_COMBINER_STRUCT, {}, {}, {2, 2, 1, 0, 4});
  MPI_Type_create_resized_c(MPI_INT, -4, 12, &t);
  expect(t, MPI_COMBINER_RESIZED, {}, {}, {-4, 12});
  MPI_Type_create_subarray_c(2, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_C, MPI_INT, &t);
  expect(t, MPI_COMBINER_SUBARRAY, {2, MPI_ORDER_C}, {}, {4, 5, 2, 3, 1, 2});
}

// What a type was made of is given back as handles, which are the caller's to free; the type lives on without its own.
void ownership() {
  MPI_Datatype inner, outer;
  CHECK_EQ(MPI_Type_contiguous(2, MPI_INT, &inner), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_vector(2, 1, 2, inner, &outer), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&inner), MPI_SUCCESS);
  Contents found = contents(outer);
  int size = 0;
  CHECK_EQ(MPI_Type_size(found.types[0], &size), MPI_SUCCESS);
  CHECK_EQ(size, 8);
  CHECK_EQ(MPI_Type_free(&outer), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_size(found.types[0], &size), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&found.types[0]), MPI_SUCCESS);
}

void names() {
  std::array<char, MPI_MAX_OBJECT_NAME> name;
  int length = -1;
  CHECK_EQ(MPI_Type_get_name(MPI_DOUBLE_INT, name.data(), &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name.data()), "MPI_DOUBLE_INT");
  CHECK_EQ(MPI_Type_get_name(MPI_DATATYPE_NULL, name.data(), &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name.data()), "MPI_DATATYPE_NULL");
  CHECK_EQ(length, 17);
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  CHECK_EQ(MPI_Type_get_name(type, name.data(), &length), MPI_SUCCESS);
  CHECK_EQ(length, 0);
  CHECK_EQ(MPI_Type_set_name(type, "couple"), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_get_name(type, name.data(), &length), MPI_SUCCESS);
  CHECK_EQ(std::string(name.data()), "couple");
  CHECK_EQ(length, 6);
  MPI_Type_free(&type);
}

void kinds() {
  MPI_Datatype one, other;
  CHECK_EQ(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &one), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &other), MPI_SUCCESS);
  CHECK(one == other);
  int size = 0;
  CHECK_EQ(MPI_Type_size(one, &size), MPI_SUCCESS);
  CHECK_EQ(size, 8);
  const Contents found = contents(one);
  CHECK_EQ(found.combiner, MPI_COMBINER_F90_REAL);
  CHECK((found.integers == Ints{15, MPI_UNDEFINED}));
  double value = check::rank + 1, sum = 0;
  CHECK_EQ(MPI_Allreduce(&value, &sum, 1, one, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_EQ(sum, check::size * (check::size + 1) / 2.0);
  CHECK_EQ(MPI_Type_free(&one), MPI_ERR_TYPE);
  CHECK_EQ(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &one), MPI_SUCCESS);
  CHECK(one == MPI_INTEGER8);
  CHECK_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &one), MPI_SUCCESS);
  CHECK(one == MPI_DOUBLE_INT);
  for (const MPI_Datatype index : {MPI_DOUBLE, MPI_CHAR, MPI_DOUBLE_INT}) {
    CHECK_EQ(MPI_Type_get_value_index(MPI_DOUBLE, index, &one), MPI_SUCCESS);
    CHECK(one == MPI_DATATYPE_NULL);
  }
  CHECK_EQ(MPI_Type_get_value_index(MPI_C_DOUBLE_COMPLEX, MPI_INT, &one), MPI_SUCCESS);
  CHECK(one == MPI_DATATYPE_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  small_forms();
  large_forms();
  ownership();
  names();
  kinds();
  return program.finish();
}
