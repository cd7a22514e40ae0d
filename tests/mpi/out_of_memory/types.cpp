// SPDX-License-Identifier: BSD-3-Clause
// Chapter: datatypes, from every constructor to packing and back.
#include <cstring>

#include "chapter.hpp"

namespace chapter {
namespace {

constexpr int most = 4096;
char out[most], packed[4 * most], in[most];

void round_trip(MPI_Datatype type) {
  for (int i = 0; i < most; ++i) out[i] = static_cast<char>(i);
  std::memset(in, 0, sizeof in);
  int position = 0, bytes = 0;
  must(MPI_Pack_size(1, type, MPI_COMM_WORLD, &bytes));
  must(MPI_Pack(out, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD));
  right(position <= bytes, "pack size");
  const int end = position;
  position = 0;
  must(MPI_Unpack(packed, end, &position, in, 1, type, MPI_COMM_WORLD));
  int sum = 0;
  for (int i = 0; i < most; ++i) {
    right(in[i] == 0 || in[i] == out[i], "unpack");
    sum += in[i] != 0;
  }
  right(sum > 0, "something is unpacked");
  MPI_Aint place = 0;
  must(MPI_Pack_external("external32", out, 1, type, packed, sizeof packed, &place));
  MPI_Aint after = 0;
  must(MPI_Unpack_external("external32", packed, place, &after, in, 1, type));
}

void contents(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  must(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner));
  int numbers[64];
  MPI_Aint places[64];
  MPI_Datatype inner[16];
  must(MPI_Type_get_contents(type, 64, 64, 16, numbers, places, inner));
  for (int i = 0; i < types; ++i) {
    int a = 0, b = 0, c = 0, kind = 0;
    MPI_Type_get_envelope(inner[i], &a, &b, &c, &kind);
    if (kind != MPI_COMBINER_NAMED) MPI_Type_free(&inner[i]);
  }
}

void use(MPI_Datatype* type) {
  must(MPI_Type_commit(type));
  round_trip(*type);
  contents(*type);
  Type copy;
  must(MPI_Type_dup(*type, &copy));
  must(MPI_Type_set_name(copy, "the name of a datatype that is too long to be kept in place"));
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  must(MPI_Type_get_name(copy, name, &length));
}

void run() {
  const int lengths[] = {3, 1, 2}, places[] = {0, 5, 9};
  const MPI_Aint bytes[] = {0, 40, 96};
  const MPI_Datatype kinds[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
  const int sizes[] = {8, 8}, subsizes[] = {3, 4}, starts[] = {2, 1};
  const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[] = {1, 1};
  Type contiguous, vector, hvector, indexed, hindexed, block, hblock, structure, subarray, darray, resized, nested;
  must(MPI_Type_contiguous(20, MPI_INT, &contiguous));
  use(&contiguous);
  must(MPI_Type_vector(5, 2, 4, MPI_INT, &vector));
  use(&vector);
  must(MPI_Type_create_hvector(3, 1, 200, vector, &hvector));
  use(&hvector);
  must(MPI_Type_indexed(3, lengths, places, MPI_INT, &indexed));
  use(&indexed);
  must(MPI_Type_create_hindexed(3, lengths, bytes, MPI_INT, &hindexed));
  use(&hindexed);
  must(MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &block));
  use(&block);
  must(MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &hblock));
  use(&hblock);
  must(MPI_Type_create_struct(3, lengths, bytes, kinds, &structure));
  use(&structure);
  must(MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &subarray));
  use(&subarray);
  must(MPI_Type_create_darray(1, 0, 2, sizes, distributions, arguments, grid, MPI_ORDER_C, MPI_INT, &darray));
  use(&darray);
  must(MPI_Type_create_resized(structure, -8, 160, &resized));
  use(&resized);
  must(MPI_Type_vector(2, 1, 3, resized, &nested));
  use(&nested);
  MPI_Datatype predefined = MPI_DATATYPE_NULL;
  must(MPI_Type_create_f90_real(6, 30, &predefined));
  must(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &predefined));
}

}  // namespace

const Chapter types{"types", run};

}  // namespace chapter
