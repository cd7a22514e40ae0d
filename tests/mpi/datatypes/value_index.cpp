// SPDX-License-Identifier: BSD-3-Clause
// MPI_Type_get_value_index: pairs of values and indices of any width, in MPI_MINLOC and MPI_MAXLOC and in messages.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "check.hpp"

namespace {

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

template <class Value, class Index>
MPI_Datatype pair_type(MPI_Datatype value, MPI_Datatype index) {
  MPI_Datatype type = MPI_DATATYPE_NULL, again = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_get_value_index(value, index, &type), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_get_value_index(value, index, &again), MPI_SUCCESS);
  CHECK(type != MPI_DATATYPE_NULL && type == again);
  MPI_Aint lb = -1, extent = -1;
  int size = -1;
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_size(type, &size);
  CHECK_EQ(lb, 0);
  CHECK_EQ(extent, static_cast<MPI_Aint>(sizeof(Pair<Value, Index>)));
  CHECK_EQ(size, static_cast<int>(sizeof(Value) + sizeof(Index)));
  return type;
}

/// All ranks bring the same values but one, which is best at the second element, and other indices.
template <class Value, class Index>
void reduce(MPI_Datatype value, MPI_Datatype index) {
  const MPI_Datatype type = pair_type<Value, Index>(value, index);
  const int best = check::size / 2;
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    std::array<Pair<Value, Index>, 3> mine{}, found{};
    for (Pair<Value, Index>& each : mine) each = {Value(50), static_cast<Index>(100 - check::rank)};
    if (check::rank == best) mine[1].value = Value(op == MPI_MINLOC ? 20 : 90);
    mine[2].value = static_cast<Value>(10 + check::rank);
    CHECK_EQ(MPI_Allreduce(mine.data(), found.data(), 3, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
    const int last = check::size - 1;
    CHECK_EQ(found[0].value, Value(50));
    CHECK_EQ(found[0].index, static_cast<Index>(100 - last));  // of equal values the lesser index
    CHECK_EQ(found[1].value, Value(op == MPI_MINLOC ? 20 : 90));
    CHECK_EQ(found[1].index, static_cast<Index>(100 - best));
    const int end = op == MPI_MINLOC ? 0 : last;
    CHECK_EQ(found[2].value, static_cast<Value>(10 + end));
    CHECK_EQ(found[2].index, static_cast<Index>(100 - end));
  }
}

void not_a_number() {
  const MPI_Datatype type = pair_type<double, std::int64_t>(MPI_DOUBLE, MPI_INT64_T);
  const bool here = check::rank == check::size - 1;
  const Pair<double, std::int64_t> mine = {here ? std::numeric_limits<double>::quiet_NaN() : 1.0, check::rank};
  Pair<double, std::int64_t> found{};
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    CHECK_EQ(MPI_Allreduce(&mine, &found, 1, type, op, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK(std::isnan(found.value));
    CHECK_EQ(found.index, check::size - 1);
  }
}

void in_messages() {
  using Wide = Pair<std::int16_t, std::int64_t>;
  const MPI_Datatype type = pair_type<std::int16_t, std::int64_t>(MPI_INT16_T, MPI_INT64_T);
  const std::array<Wide, 2> out = {{{1, 1LL << 40}, {2, check::rank}}};
  std::array<Wide, 2> in{};
  MPI_Status status;
  MPI_Sendrecv(out.data(), 2, type, check::right(), 1, in.data(), 2, type, check::left(), 1, MPI_COMM_WORLD, &status);
  CHECK_EQ(in[0].index, 1LL << 40);
  CHECK_EQ(in[1].index, check::left());
  int count = -1;
  MPI_Get_count(&status, type, &count);
  CHECK_EQ(count, 2);
  MPI_Get_elements(&status, type, &count);
  CHECK_EQ(count, 4);
  MPI_Aint bytes = 0, place = 0;
  CHECK_EQ(MPI_Pack_external_size("external32", 2, type, &bytes), MPI_SUCCESS);
  CHECK_EQ(bytes, MPI_Aint{20});
  std::vector<char> packed(static_cast<std::size_t>(bytes));
  CHECK_EQ(MPI_Pack_external("external32", out.data(), 2, type, packed.data(), bytes, &place), MPI_SUCCESS);
  place = 0;
  in = {};
  CHECK_EQ(MPI_Unpack_external("external32", packed.data(), bytes, &place, in.data(), 2, type), MPI_SUCCESS);
  CHECK_EQ(in[0].index, 1LL << 40);
  CHECK_EQ(in[1].value, 2);
}

// It is predefined, though it has no name.
void how_it_was_made() {
  MPI_Datatype type = pair_type<float, long>(MPI_FLOAT, MPI_LONG);
  int integers = -1, addresses = -1, types = -1, combiner = -1;
  CHECK_EQ(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), MPI_SUCCESS);
  CHECK_EQ(combiner, MPI_COMBINER_VALUE_INDEX);
  CHECK(integers == 0 && addresses == 0 && types == 2);
  std::array<MPI_Datatype, 2> parts;
  CHECK_EQ(MPI_Type_get_contents(type, 0, 0, 2, nullptr, nullptr, parts.data()), MPI_SUCCESS);
  CHECK(parts[0] == MPI_FLOAT && parts[1] == MPI_LONG);
  CHECK_EQ(MPI_Type_free(&type), MPI_ERR_TYPE);
  Pair<float, long> in{1, 2}, out{3, 4};
  CHECK_EQ(MPI_Reduce_local(&in, &out, 1, type, MPI_SUM), MPI_ERR_OP);
  CHECK_EQ(MPI_Reduce_local(&in, &out, 1, type, MPI_MINLOC), MPI_SUCCESS);
  CHECK_EQ(out.index, 2L);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  reduce<double, std::int64_t>(MPI_DOUBLE, MPI_INT64_T);
  reduce<float, std::uint64_t>(MPI_FLOAT, MPI_UINT64_T);
  reduce<std::int8_t, std::int8_t>(MPI_INT8_T, MPI_INT8_T);
  reduce<std::uint64_t, std::uint8_t>(MPI_UINT64_T, MPI_UINT8_T);
  reduce<long long, int>(MPI_LONG_LONG, MPI_INT);
  reduce<long double, short>(MPI_LONG_DOUBLE, MPI_SHORT);
  reduce<MPI_Aint, MPI_Count>(MPI_AINT, MPI_COUNT);
  reduce<int, int>(MPI_INT, MPI_INT);  // with a name
  not_a_number();
  in_messages();
  how_it_was_made();
  return program.finish();
}
