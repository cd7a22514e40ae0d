// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user: the order of the ranks where they are not commutative, what their function is given, both
// forms, how long they live; and MPI_Reduce_local.
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"
#include "reference.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// ---- operators that are not commutative, on basic types

/// A line y = ax + b as a complex number (a, b). Doing one after the other is associative, and the order matters.
using Line = std::complex<double>;

Line after(const Line& first, const Line& second) {
  return {first.real() * second.real(), first.real() * second.imag() + first.imag()};
}

void compose(void* in, void* inout, int* length, MPI_Datatype* type) {
  CHECK(*type == MPI_C_DOUBLE_COMPLEX);
  for (int i = 0; i < *length; ++i) {
    Line& right = static_cast<Line*>(inout)[i];
    right = after(static_cast<const Line*>(in)[i], right);
  }
}

Line line(int of_rank, int i) {
  return {of_rank % 3 == 1 ? -1.0 : 1.0, static_cast<double>((of_rank * 7 + i) % 11)};
}

/// Octal digits in order, below a bit that says how many: concatenating such words shows every operand's place.
void concatenate(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  CHECK(*type == MPI_UINT64_T);
  for (MPI_Count i = 0; i < *length; ++i) {
    const std::uint64_t left = static_cast<const std::uint64_t*>(in)[i];
    std::uint64_t& right = static_cast<std::uint64_t*>(inout)[i];
    std::uint64_t end = 1;
    while (end * 8 <= right) end *= 8;
    right = left * end + (right - end);
  }
}

template <typename T, typename Value, typename Combine>
void check_order(MPI_Op op, MPI_Datatype type, int count, Value value, Combine combine) {
  std::vector<T> mine, expected;
  for (int i = 0; i < count; ++i) {
    mine.push_back(value(check::rank, i));
    expected.push_back(value(0, i));
    for (int rank = 1; rank < check::size; ++rank) expected.back() = combine(expected.back(), value(rank, i));
  }
  for (int root = 0; root < check::size; ++root) {
    std::vector<T> result(mine.size());
    CHECK_EQ(MPI_Reduce(mine.data(), result.data(), count, type, op, root, world), MPI_SUCCESS);
    if (check::rank == root) CHECK(result == expected);
    result = mine;
    const void* source = check::rank == root ? MPI_IN_PLACE : mine.data();
    CHECK_EQ(MPI_Reduce_c(source, result.data(), count, type, op, root, world), MPI_SUCCESS);
    CHECK(result == (check::rank == root ? expected : mine));
  }
  std::vector<T> result(mine.size());
  CHECK_EQ(MPI_Allreduce(mine.data(), result.data(), count, type, op, world), MPI_SUCCESS);
  CHECK(result == expected);
  CHECK_EQ(MPI_Allreduce_c(MPI_IN_PLACE, mine.data(), count, type, op, world), MPI_SUCCESS);
  CHECK(mine == expected);
}

void order_of_ranks() {
  MPI_Op composing, concatenating;
  CHECK_EQ(MPI_Op_create(compose, 0, &composing), MPI_SUCCESS);
  CHECK_EQ(MPI_Op_create_c(concatenate, 0, &concatenating), MPI_SUCCESS);
  for (const int count : {1, 3, 1000, 20000}) {  // short and long ones take different algorithms
    check_order<Line>(composing, MPI_C_DOUBLE_COMPLEX, count, line, after);
    check_order<std::uint64_t>(
        concatenating, MPI_UINT64_T, count,
        [](int rank, int i) { return static_cast<std::uint64_t>(8 + (rank + i) % 8); },
        [](std::uint64_t left, std::uint64_t right) {
          MPI_Count one = 1;
          MPI_Datatype type = MPI_UINT64_T;
          concatenate(&left, &right, &one, &type);
          return right;
        });
  }
  CHECK_EQ(MPI_Op_free(&composing), MPI_SUCCESS);
  CHECK_EQ(MPI_Op_free(&concatenating), MPI_SUCCESS);
  CHECK(composing == MPI_OP_NULL && concatenating == MPI_OP_NULL);
}

// ---- what the function is given

MPI_Datatype given_type;
long given_elements, calls;
const char* next_left;
const char* next_right;

/// Checks that the chunks of one call follow each other, and spoils what it was given.
template <typename Count>
void note(void* in, void* inout, Count* length, MPI_Datatype* type) {
  int size = -1;
  CHECK_EQ(MPI_Type_size(*type, &size), MPI_SUCCESS);  // a local function may be called
  CHECK(*length > 0);
  if (calls > 0) CHECK(in == next_left && inout == next_right);
  next_left = static_cast<const char*>(in) + static_cast<std::ptrdiff_t>(*length) * size;
  next_right = static_cast<const char*>(inout) + static_cast<std::ptrdiff_t>(*length) * size;
  given_type = *type;
  given_elements += static_cast<long>(*length);
  ++calls;
  *length = -5;
  *type = MPI_DATATYPE_NULL;
}

void expect_given(MPI_Count count, MPI_Datatype type, MPI_Op op, long calls_expected) {
  static char left[64], right[64];  // the function does not look at the data
  given_elements = calls = 0;
  CHECK_EQ(MPI_Reduce_local_c(left, right, count, type, op), MPI_SUCCESS);
  CHECK_EQ(given_elements, static_cast<long>(count));
  CHECK_EQ(calls, calls_expected);
  if (count > 0) CHECK(given_type == type);
}

void arguments_of_the_function() {
  MPI_Op small, large;
  CHECK_EQ(MPI_Op_create(note<int>, 1, &small), MPI_SUCCESS);
  CHECK_EQ(MPI_Op_create_c(note<MPI_Count>, 1, &large), MPI_SUCCESS);
  for (const check::Type& type : check::all_types()) {
    expect_given(2, type.handle, small, 1);
    expect_given(2, type.handle, large, 1);
  }
  expect_given(0, MPI_INT, small, 0);
  const MPI_Count most = INT_MAX;
  expect_given(most, MPI_BYTE, small, 1);
  expect_given(most + 1, MPI_BYTE, small, 2);
  expect_given(2 * most + 5, MPI_BYTE, small, 3);
  expect_given(2 * most + 5, MPI_BYTE, large, 1);
  CHECK_EQ(MPI_Op_free(&small), MPI_SUCCESS);
  CHECK_EQ(MPI_Op_free(&large), MPI_SUCCESS);
}

// ---- life

MPI_Op freed_by_itself;

void add_and_free(void* in, void* inout, int* length, MPI_Datatype*) {
  if (freed_by_itself != MPI_OP_NULL) CHECK_EQ(MPI_Op_free(&freed_by_itself), MPI_SUCCESS);
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

void life() {
  CHECK_EQ(MPI_Op_create(add_and_free, 1, &freed_by_itself), MPI_SUCCESS);
  const MPI_Op op = freed_by_itself;
  int commutative = 0, result = 0;
  CHECK_EQ(MPI_Op_commutative(op, &commutative), MPI_SUCCESS);
  CHECK_EQ(commutative, 1);
  const int mine = check::rank;
  CHECK_EQ(MPI_Allreduce(&mine, &result, 1, MPI_INT, op, world), MPI_SUCCESS);
  CHECK_EQ(result, check::size * (check::size - 1) / 2);
  if (freed_by_itself != MPI_OP_NULL) MPI_Op_free(&freed_by_itself);  // not every rank needs to combine

  CHECK_EQ(MPI_Op_create(add_and_free, 1, &freed_by_itself), MPI_SUCCESS);
  CHECK_EQ(MPI_Reduce_local(&mine, &result, 1, MPI_INT, freed_by_itself), MPI_SUCCESS);
  CHECK_EQ(result, check::size * (check::size - 1) / 2 + mine);
  CHECK(freed_by_itself == MPI_OP_NULL);

  std::vector<MPI_Op> many(1000);
  for (MPI_Op& made : many) CHECK_EQ(MPI_Op_create(compose, 0, &made), MPI_SUCCESS);
  for (std::size_t i = 1; i < many.size(); ++i) CHECK(many[i] != many[0]);
  CHECK_EQ(MPI_Op_commutative(many[0], &commutative), MPI_SUCCESS);
  CHECK_EQ(commutative, 0);
  for (MPI_Op& made : many) CHECK_EQ(MPI_Op_free(&made), MPI_SUCCESS);
}

void predefined_ones() {
  for (const check::NamedOperator& op : check::operators) {
    int commutative = 0;
    CHECK_EQ(MPI_Op_commutative(op.handle, &commutative), MPI_SUCCESS);
    CHECK_EQ(commutative, 1);
  }
}

// ---- MPI_Reduce_local

template <typename T>
void reduce_locally(MPI_Datatype type, check::Group group) {
  for (const check::NamedOperator& op : check::operators) {
    if (!check::allowed(op.meaning, group)) continue;
    for (const int count : {0, 1, 5, 64, 2000}) {
      std::vector<T> left, right, expected;
      for (int i = 0; i < count; ++i) {
        left.push_back(check::element<T>(op.meaning, group, 1, i));
        right.push_back(check::element<T>(op.meaning, group, 2, i));
        expected.push_back(check::combine<T>(op.meaning, left.back(), right.back()));
      }
      CHECK_EQ(MPI_Reduce_local(left.data(), right.data(), count, type, op.handle), MPI_SUCCESS);
      bool right_everywhere = true;
      for (std::size_t i = 0; i < right.size(); ++i) right_everywhere &= check::same<T>(right[i], expected[i]);
      if (!CHECK(right_everywhere)) std::fprintf(stderr, "%s of %d\n", op.name, count);
    }
  }
}

void local_reductions() {
  reduce_locally<signed char>(MPI_SIGNED_CHAR, check::Group::integer);
  reduce_locally<short>(MPI_SHORT, check::Group::integer);
  reduce_locally<unsigned>(MPI_UNSIGNED, check::Group::integer);
  reduce_locally<long>(MPI_LONG, check::Group::integer);
  reduce_locally<float>(MPI_FLOAT, check::Group::floating);
  reduce_locally<double>(MPI_DOUBLE, check::Group::floating);
  reduce_locally<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, check::Group::complex);
  reduce_locally<check::Pair<double>>(MPI_DOUBLE_INT, check::Group::pair);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  order_of_ranks();
  arguments_of_the_function();
  life();
  predefined_ones();
  local_reductions();
  return program.finish();
}
