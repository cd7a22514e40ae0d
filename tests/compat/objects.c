/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects of every kind, on any number of ranks: predefined and new handles, constants that are passed and returned. */
#include "check.h"

static void environment(void) {
  int version, subversion, length, provided = -1, flag = 0, class, code;
  char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING], text[MPI_MAX_ERROR_STRING];
  OK(MPI_Get_version(&version, &subversion));
  CHECK(version >= 3);
  OK(MPI_Get_library_version(library, &length));
  CHECK_EQ(strlen(library), length);
  CHECK(strstr(library, "Bowline") != NULL);
  OK(MPI_Get_processor_name(name, &length));
  CHECK_EQ(strlen(name), length);
  OK(MPI_Query_thread(&provided));
  CHECK(provided == MPI_THREAD_SINGLE || provided == MPI_THREAD_MULTIPLE || provided == MPI_THREAD_FUNNELED ||
        provided == MPI_THREAD_SERIALIZED);
  OK(MPI_Initialized(&flag));
  CHECK_EQ(flag, 1);
  CHECK(MPI_Wtime() > 0 && MPI_Wtick() > 0);

  OK(MPI_Add_error_class(&class));
  CHECK(class > MPI_ERR_LASTCODE);
  OK(MPI_Add_error_code(class, &code));
  OK(MPI_Add_error_string(code, "the bus is late"));
  OK(MPI_Error_string(code, text, &length));
  CHECK(strstr(text, "the bus is late") != NULL);
  CHECK_EQ(class_of(code), class);
  for (int each = MPI_SUCCESS; each <= MPI_ERR_LASTCODE && each < 50; ++each) {
    if (MPI_Error_string(each, text, &length) == MPI_SUCCESS) CHECK(length > 0);
  }
  CHECK_EQ(class_of(MPI_ERR_NO_MEM), MPI_ERR_NO_MEM);
  CHECK_EQ(class_of(MPI_ERR_UNSUPPORTED_OPERATION), MPI_ERR_UNSUPPORTED_OPERATION);
}

static void attribute(int keyval, int* expected) {
  int flag = 0, *value = NULL;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &flag));
  if (flag && expected != NULL) CHECK_EQ(*value, *expected);
}

static void predefined_attributes(void) {
  int flag = 0, any = MPI_ANY_SOURCE, nobody = MPI_PROC_NULL, *value = NULL;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag));
  CHECK_EQ(flag, 1);
  CHECK(flag && *value >= 32767);
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
  CHECK(flag && *value >= MPI_ERR_LASTCODE);
  attribute(MPI_IO, &any);
  attribute(MPI_HOST, &nobody);
  attribute(MPI_WTIME_IS_GLOBAL, NULL);
  attribute(MPI_APPNUM, NULL);
  attribute(MPI_UNIVERSE_SIZE, NULL);
}

static void groups(void) {
  MPI_Group world, some, none, empty, joined;
  int size = -1, rank = -1, result = -1, first[1] = {0}, ranges[1][3] = {{0, 0, 1}};
  int ours[3] = {0, check_size - 1, MPI_PROC_NULL}, theirs[3];
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_size(world, &size));
  CHECK_EQ(size, check_size);
  OK(MPI_Group_incl(world, 1, first, &some));
  OK(MPI_Group_rank(some, &rank));
  CHECK_EQ(rank, check_rank == 0 ? 0 : MPI_UNDEFINED);
  OK(MPI_Group_translate_ranks(world, 3, ours, some, theirs));
  CHECK_EQ(theirs[0], 0);
  CHECK_EQ(theirs[1], check_size == 1 ? 0 : MPI_UNDEFINED);
  CHECK_EQ(theirs[2], MPI_PROC_NULL);
  OK(MPI_Group_incl(world, 0, NULL, &empty));
  OK(MPI_Group_compare(empty, MPI_GROUP_EMPTY, &result));
  CHECK_EQ(result, MPI_IDENT);
  OK(MPI_Group_compare(world, some, &result));
  CHECK_EQ(result, check_size == 1 ? MPI_IDENT : MPI_UNEQUAL);
  OK(MPI_Group_range_excl(world, 1, ranges, &none));
  OK(MPI_Group_union(some, none, &joined));
  OK(MPI_Group_compare(world, joined, &result));
  CHECK_EQ(result, MPI_IDENT);
  OK(MPI_Group_free(&joined));
  OK(MPI_Group_free(&some));
  OK(MPI_Group_free(&world));
  CHECK(some == MPI_GROUP_NULL && world == MPI_GROUP_NULL);
  if (none != MPI_GROUP_EMPTY) OK(MPI_Group_free(&none));
}

static void communicators(void) {
  MPI_Comm duplicate, split, later = MPI_COMM_NULL, shared, alone, inter, merged;
  MPI_Request request;
  MPI_Info info;
  char name[MPI_MAX_OBJECT_NAME];
  int result = -1, length = -1, size = -1, flag = -1, sum = 0;
  OK(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result));
  CHECK_EQ(result, MPI_IDENT);
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &duplicate));
  OK(MPI_Comm_compare(MPI_COMM_WORLD, duplicate, &result));
  CHECK_EQ(result, MPI_CONGRUENT);
  OK(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
  OK(MPI_Comm_set_name(duplicate, "twin"));
  OK(MPI_Comm_get_name(duplicate, name, &length));
  CHECK(strcmp(name, "twin") == 0 && length == 4);
  OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0 ? MPI_UNDEFINED : 1, 0, &split));
  CHECK_EQ(split == MPI_COMM_NULL, check_rank == 0);
  OK(MPI_Comm_split_type(duplicate, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  OK(MPI_Comm_size(shared, &size));
  CHECK(size >= 1);
  OK(MPI_Comm_split_type(duplicate, MPI_UNDEFINED, 0, MPI_INFO_NULL, &alone));
  CHECK(alone == MPI_COMM_NULL);
  OK(MPI_Comm_idup(duplicate, &later, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, later));
  CHECK_EQ(sum, check_size * (check_size - 1) / 2);
  OK(MPI_Comm_get_info(later, &info));
  OK(MPI_Info_free(&info));
  OK(MPI_Comm_test_inter(later, &flag));
  CHECK_EQ(flag, 0);
  if (check_size > 1) {
    MPI_Comm half;
    int value = -1;
    OK(MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0, 0, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank == 0 ? 1 : 0, 5, &inter));
    OK(MPI_Comm_remote_size(inter, &size));
    CHECK_EQ(size, check_rank == 0 ? check_size - 1 : 1);
    value = check_rank == 0 ? 42 : -1;
    OK(MPI_Bcast(&value, 1, MPI_INT, check_rank == 0 ? MPI_ROOT : 0, inter));
    CHECK_EQ(value, 42);
    value = check_rank == 1 ? 43 : 44;
    OK(MPI_Bcast(&value, 1, MPI_INT, check_rank == 0 ? 0 : check_rank == 1 ? MPI_ROOT : MPI_PROC_NULL, inter));
    CHECK_EQ(value, check_rank == 0 || check_rank == 1 ? 43 : 44);
    OK(MPI_Intercomm_merge(inter, check_rank == 0, &merged));
    OK(MPI_Comm_compare(MPI_COMM_WORLD, merged, &result));
    CHECK_EQ(result, MPI_SIMILAR);
    OK(MPI_Comm_free(&merged));
    OK(MPI_Comm_disconnect(&inter));
    CHECK(inter == MPI_COMM_NULL);
    OK(MPI_Comm_free(&half));
  }
  OK(MPI_Comm_free(&later));
  OK(MPI_Comm_free(&shared));
  OK(MPI_Comm_free(&duplicate));
  CHECK(duplicate == MPI_COMM_NULL);
  if (split != MPI_COMM_NULL) OK(MPI_Comm_free(&split));
}

static void contents_of(MPI_Datatype type, int combiner, int integers[64], MPI_Datatype* inner) {
  int numbers[4] = {-1, -1, -1, -1};
  MPI_Aint addresses[64];
  MPI_Datatype types[64];
  OK(MPI_Type_get_envelope(type, &numbers[0], &numbers[1], &numbers[2], &numbers[3]));
  CHECK_EQ(numbers[3], combiner);
  OK(MPI_Type_get_contents(type, 64, 64, 64, integers, addresses, types));
  *inner = types[0];
}

static void datatypes(void) {
  MPI_Datatype type, inner, pair[2] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype all[] = {MPI_CHAR,
                        MPI_SIGNED_CHAR,
                        MPI_UNSIGNED_CHAR,
                        MPI_BYTE,
                        MPI_WCHAR,
                        MPI_SHORT,
                        MPI_UNSIGNED_SHORT,
                        MPI_INT,
                        MPI_UNSIGNED,
                        MPI_LONG,
                        MPI_UNSIGNED_LONG,
                        MPI_FLOAT,
                        MPI_DOUBLE,
                        MPI_LONG_DOUBLE,
                        MPI_LONG_LONG,
                        MPI_UNSIGNED_LONG_LONG,
                        MPI_INT8_T,
                        MPI_INT16_T,
                        MPI_INT32_T,
                        MPI_INT64_T,
                        MPI_UINT8_T,
                        MPI_UINT16_T,
                        MPI_UINT32_T,
                        MPI_UINT64_T,
                        MPI_C_BOOL,
                        MPI_C_FLOAT_COMPLEX,
                        MPI_C_DOUBLE_COMPLEX,
                        MPI_AINT,
                        MPI_OFFSET,
                        MPI_COUNT,
                        MPI_FLOAT_INT,
                        MPI_DOUBLE_INT,
                        MPI_LONG_INT,
                        MPI_2INT,
                        MPI_SHORT_INT,
                        MPI_LONG_DOUBLE_INT,
                        MPI_PACKED,
                        MPI_INTEGER,
                        MPI_REAL,
                        MPI_DOUBLE_PRECISION,
                        MPI_COMPLEX,
                        MPI_LOGICAL,
                        MPI_CHARACTER};
  int sizes[] = {1, 1, 1, 1, 4,  2, 2, 4, 4, 8,  8,  4, 8, 16, 8, 8, 1, 2, 4, 8, 1, 2,
                 4, 8, 1, 8, 16, 8, 8, 8, 8, 12, 12, 8, 6, 20, 1, 4, 4, 8, 8, 4, 1};
  int integers[64], size = -1, length = -1, lengths[2] = {1, 2}, four[2] = {4, 6}, two[2] = {2, 3}, one[2] = {1, 1};
  int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {1, 1};
  MPI_Aint displacements[2] = {0, 8}, lower = -1, extent = -1;
  char name[MPI_MAX_OBJECT_NAME];
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    OK(MPI_Type_size(all[i], &size));
    CHECK_EQ(size, sizes[i]);
  }
  OK(MPI_Type_get_name(MPI_DOUBLE, name, &length));
  CHECK(strcmp(name, "MPI_DOUBLE") == 0);
  OK(MPI_Type_create_struct(2, lengths, displacements, pair, &type));
  contents_of(type, MPI_COMBINER_STRUCT, integers, &inner);
  CHECK(inner == MPI_DOUBLE);
  CHECK_EQ(integers[0], 2);
  OK(MPI_Type_commit(&type));
  OK(MPI_Type_get_extent(type, &lower, &extent));
  CHECK_EQ(extent, 16);
  OK(MPI_Type_dup(type, &inner));
  OK(MPI_Type_free(&inner));
  CHECK(inner == MPI_DATATYPE_NULL);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_create_subarray(2, four, two, one, MPI_ORDER_FORTRAN, MPI_INT, &type));
  contents_of(type, MPI_COMBINER_SUBARRAY, integers, &inner);
  CHECK_EQ(integers[7], MPI_ORDER_FORTRAN);
  CHECK(inner == MPI_INT);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_create_darray(1, 0, 2, four, distributions, arguments, grid, MPI_ORDER_C, MPI_FLOAT, &type));
  contents_of(type, MPI_COMBINER_DARRAY, integers, &inner);
  CHECK_EQ(integers[5], MPI_DISTRIBUTE_BLOCK);
  CHECK_EQ(integers[6], MPI_DISTRIBUTE_CYCLIC);
  CHECK_EQ(integers[7], MPI_DISTRIBUTE_DFLT_DARG);
  CHECK_EQ(integers[11], MPI_ORDER_C);
  CHECK(inner == MPI_FLOAT);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_vector(2, 3, 4, MPI_LONG, &type));
  OK(MPI_Type_contiguous(2, type, &inner));
  OK(MPI_Type_free(&type));
  contents_of(inner, MPI_COMBINER_CONTIGUOUS, integers, &type);
  OK(MPI_Type_size(type, &size));
  CHECK_EQ(size, 48);
  OK(MPI_Type_free(&type));
  OK(MPI_Type_free(&inner));
  OK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type));
  OK(MPI_Type_size(type, &size));
  CHECK_EQ(size, 8);
  OK(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 4, &type));
  OK(MPI_Type_get_envelope(MPI_INT, &integers[0], &integers[1], &integers[2], &integers[3]));
  CHECK_EQ(integers[3], MPI_COMBINER_NAMED);
}

static void packing(void) {
  char buffer[256], value = 'x', got = 0;
  double number = 2.5, back = 0;
  int position = 0, size = 0;
  MPI_Aint place = 0, room = 0;
  OK(MPI_Pack_size(1, MPI_DOUBLE, MPI_COMM_SELF, &size));
  CHECK(size >= 8);
  OK(MPI_Pack(&value, 1, MPI_CHAR, buffer, sizeof buffer, &position, MPI_COMM_SELF));
  OK(MPI_Pack(&number, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_SELF));
  position = 0;
  OK(MPI_Unpack(buffer, sizeof buffer, &position, &got, 1, MPI_CHAR, MPI_COMM_SELF));
  OK(MPI_Unpack(buffer, sizeof buffer, &position, &back, 1, MPI_DOUBLE, MPI_COMM_SELF));
  CHECK(got == 'x' && back == 2.5);
  OK(MPI_Pack_external_size("external32", 1, MPI_DOUBLE, &room));
  CHECK_EQ(room, 8);
  OK(MPI_Pack_external("external32", &number, 1, MPI_DOUBLE, buffer, sizeof buffer, &place));
  CHECK(buffer[0] == 0x40 && buffer[1] == 0x04);
}

static void infos(void) {
  MPI_Info info, copy;
  char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL + 1];
  int keys = -1, flag = -1, length = -1;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "color", "blue"));
  OK(MPI_Info_dup(info, &copy));
  OK(MPI_Info_get_nkeys(copy, &keys));
  CHECK_EQ(keys, 1);
  OK(MPI_Info_get_nthkey(copy, 0, key));
  CHECK(strcmp(key, "color") == 0);
  OK(MPI_Info_get(copy, "color", MPI_MAX_INFO_VAL, value, &flag));
  CHECK(flag && strcmp(value, "blue") == 0);
  OK(MPI_Info_get_valuelen(copy, "color", &length, &flag));
  CHECK_EQ(length, 4);
  OK(MPI_Info_get(copy, "shape", MPI_MAX_INFO_VAL, value, &flag));
  CHECK_EQ(flag, 0);
  OK(MPI_Info_get(MPI_INFO_ENV, "thread_level", MPI_MAX_INFO_VAL, value, &flag));
  OK(MPI_Info_free(&copy));
  OK(MPI_Info_free(&info));
  CHECK(info == MPI_INFO_NULL);
}

static void topologies(void) {
  MPI_Comm line, graph, ring, star;
  int sizes[1] = {check_size}, periods[1] = {0}, left = 77, right = 77, kind = -1, in = -1, out = -1, weighted = -1;
  int here[1] = {check_rank}, degrees[1] = {1}, ahead[1] = {(check_rank + 1) % check_size};
  int behind[1] = {(check_rank + check_size - 1) % check_size}, weights[1] = {check_rank + 1}, found[4], other[4];
  int ones[2] = {1, 1}, zeros[2] = {0, 4}, sent[2] = {check_rank, check_rank}, got[2] = {-7, -7};
  MPI_Aint bytes[2] = {0, 4};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  OK(MPI_Topo_test(MPI_COMM_WORLD, &kind));
  CHECK_EQ(kind, MPI_UNDEFINED);
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &line));
  OK(MPI_Topo_test(line, &kind));
  CHECK_EQ(kind, MPI_CART);
  OK(MPI_Cart_shift(line, 0, 1, &left, &right));
  CHECK_EQ(left, check_rank == 0 ? MPI_PROC_NULL : check_rank - 1);
  CHECK_EQ(right, check_rank == check_size - 1 ? MPI_PROC_NULL : check_rank + 1);
  OK(MPI_Neighbor_alltoallw(sent, ones, bytes, types, got, ones, bytes, types, line));
  CHECK_EQ(got[0], check_rank == 0 ? -7 : check_rank - 1);
  CHECK_EQ(got[1], check_rank == check_size - 1 ? -7 : check_rank + 1);

  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, behind, MPI_UNWEIGHTED, 1, ahead, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                    0, &ring));
  OK(MPI_Topo_test(ring, &kind));
  CHECK_EQ(kind, MPI_DIST_GRAPH);
  OK(MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted));
  CHECK(in == 1 && out == 1 && weighted == 0);
  OK(MPI_Dist_graph_neighbors(ring, 1, found, MPI_UNWEIGHTED, 1, other, MPI_UNWEIGHTED));
  CHECK_EQ(found[0], behind[0]);
  OK(MPI_Neighbor_alltoallw(sent, ones, bytes, types, got, ones, bytes, types, ring));
  CHECK_EQ(got[0], behind[0]);
  OK(MPI_Comm_free(&ring));
  OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, here, degrees, ahead, weights, MPI_INFO_NULL, 0, &ring));
  OK(MPI_Dist_graph_neighbors_count(ring, &in, &out, &weighted));
  CHECK(in == 1 && out == 1 && weighted == 1);
  OK(MPI_Dist_graph_neighbors(ring, 1, found, &found[2], 1, other, &other[2]));
  CHECK_EQ(other[2], check_rank + 1);
  CHECK_EQ(found[2], behind[0] + 1);
  OK(MPI_Comm_free(&ring));
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL, MPI_WEIGHTS_EMPTY,
                                    MPI_INFO_NULL, 0, &star));
  OK(MPI_Comm_free(&star));
  zeros[0] = 1;
  zeros[1] = 1;
  OK(MPI_Graph_create(MPI_COMM_WORLD, 1, zeros, (int[1]){0}, 0, &graph));
  CHECK_EQ(graph == MPI_COMM_NULL, check_rank != 0);
  if (graph != MPI_COMM_NULL) {
    OK(MPI_Topo_test(graph, &kind));
    CHECK_EQ(kind, MPI_GRAPH);
    OK(MPI_Comm_free(&graph));
  }
  OK(MPI_Comm_free(&line));
}

static void collectives(void) {
  int value = check_rank + 1, sum = 0, *all = calloc((size_t)check_size, sizeof *all);
  int *counts = calloc((size_t)check_size, sizeof *counts), *places = calloc((size_t)check_size, sizeof *places);
  MPI_Datatype* types = calloc((size_t)check_size, sizeof *types);
  struct {
    double value;
    int rank;
  } place = {-check_rank, check_rank}, least;
  MPI_Request request;
  const int total = check_size * (check_size + 1) / 2;
  OK(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  CHECK_EQ(sum, total);
  OK(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
  CHECK_EQ(value, check_size);
  OK(MPI_Allreduce(&place, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD));
  CHECK_EQ(least.rank, check_size - 1);
  OK(MPI_Gather(&check_rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD));
  if (check_rank == 0) CHECK_EQ(all[check_size - 1], check_size - 1);
  all[check_rank] = check_rank * 3;
  OK(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD));
  CHECK_EQ(all[check_size - 1], 3 * (check_size - 1));
  for (int i = 0; i < check_size; ++i) {
    counts[i] = 1;
    places[i] = 4 * i;
    types[i] = MPI_INT;
    all[i] = check_rank * 100 + i;
  }
  OK(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, places, types, MPI_COMM_WORLD));
  CHECK_EQ(all[0], check_rank);
  OK(MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, places, types, MPI_COMM_WORLD, &request));
  for (int i = 0; i < check_size; ++i) types[i] = MPI_DATATYPE_NULL; /* which the operation does not need any more */
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_EQ(all[check_size - 1], check_rank * 100 + check_size - 1);
  value = 1;
  OK(MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  CHECK_EQ(sum, check_size);
  free(all);
  free(counts);
  free(places);
  free(types);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  environment();
  predefined_attributes();
  groups();
  communicators();
  datatypes();
  packing();
  infos();
  topologies();
  collectives();
  return finish();
}
