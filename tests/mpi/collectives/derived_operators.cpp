// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user on derived datatypes: products of matrices and strings that are put together, which depend on
// the order of the ranks, in types without holes, with holes, with bounds of their own and in reverse order.
#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Datatype expected_type;  // of the call that goes on

// ---- matrices

/// Two by two, modulo a small prime: products stay exact for any number of ranks.
using Matrix = std::array<long, 4>;
constexpr long prime = 101;

Matrix product(const Matrix& a, const Matrix& b) {
  return {(a[0] * b[0] + a[1] * b[2]) % prime, (a[0] * b[1] + a[1] * b[3]) % prime, (a[2] * b[0] + a[3] * b[2]) % prime,
          (a[2] * b[1] + a[3] * b[3]) % prime};
}

Matrix matrix(int rank, int i) {
  return {1 + (rank * 3 + i) % 5, rank % 7, i % 3, 2 + (rank + i) % 4};
}

/// A way to keep matrices in memory: where the four numbers are, and how far it is to the next matrix, in longs.
struct Layout {
  const char* name;
  std::function<MPI_Datatype()> make;
  std::array<std::ptrdiff_t, 4> places;
  std::ptrdiff_t step;
};
const Layout* layout;  // of the type that the operator gets

Matrix load(const long* element) {
  Matrix m;
  for (std::size_t i = 0; i < 4; ++i) m[i] = element[layout->places[i]];
  return m;
}

void store(long* element, const Matrix& m) {
  for (std::size_t i = 0; i < 4; ++i) element[layout->places[i]] = m[i];
}

void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  CHECK(*type == expected_type);
  const auto* left = static_cast<const long*>(in);
  auto* right = static_cast<long*>(inout);
  for (int i = 0; i < *length; ++i, left += layout->step, right += layout->step) {
    store(right, product(load(left), load(right)));
  }
}

MPI_Datatype resized(MPI_Datatype type, MPI_Aint lb, MPI_Aint extent) {
  MPI_Datatype result;
  CHECK_EQ(MPI_Type_create_resized(type, lb, extent, &result), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
  return result;
}

MPI_Datatype placed(std::array<int, 4> places) {
  MPI_Datatype result;
  CHECK_EQ(MPI_Type_create_indexed_block(4, 1, places.data(), MPI_LONG, &result), MPI_SUCCESS);
  return result;
}

constexpr MPI_Aint one = sizeof(long);

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous",
       [] {
         MPI_Datatype result;
         CHECK_EQ(MPI_Type_contiguous(4, MPI_LONG, &result), MPI_SUCCESS);
         return result;
       },
       {0, 1, 2, 3},
       4},
      {"duplicated, padded to five",
       [] {
         MPI_Datatype result, padded = resized(placed({0, 1, 2, 3}), 0, 5 * one);
         CHECK_EQ(MPI_Type_dup(padded, &result), MPI_SUCCESS);
         CHECK_EQ(MPI_Type_free(&padded), MPI_SUCCESS);
         return result;
       },
       {0, 1, 2, 3},
       5},
      {"every second",
       [] {
         return placed({0, 2, 4, 6});
       },
       {0, 2, 4, 6},
       7},
      {"reversed",
       [] {
         return placed({3, 2, 1, 0});
       },
       {3, 2, 1, 0},
       4},
      {"before its address",
       [] {
         return placed({-4, -3, 1, 2});
       },
       {-4, -3, 1, 2},
       7},
      {"far from its address",
       [] {
         return resized(placed({10, 11, 12, 13}), 10 * one, 4 * one);
       },
       {10, 11, 12, 13},
       4},
      {"backwards in memory",
       [] {
         return resized(placed({0, 1, 2, 3}), 0, -6 * one);
       },
       {0, 1, 2, 3},
       -6},
  };
  return all;
}

/// Memory with room for `count` matrices around the address of the first, and a pattern in all holes.
class Memory {
 public:
  static constexpr long untouched = -77;
  explicit Memory(int count) : longs_(static_cast<std::size_t>(2 * (8 * count + 32)), untouched) {}
  long* base() { return longs_.data() + longs_.size() / 2; }
  void set(int i, const Matrix& m) { store(base() + i * layout->step, m); }
  Matrix get(int i) { return load(base() + i * layout->step); }
  bool operator==(const Memory& other) const { return longs_ == other.longs_; }

 private:
  std::vector<long> longs_;
};

void multiply_matrices(MPI_Op op, int count) {
  Memory mine(count), expected(count);
  for (int i = 0; i < count; ++i) {
    mine.set(i, matrix(check::rank, i));
    Matrix all = matrix(0, i);
    for (int rank = 1; rank < check::size; ++rank) all = product(all, matrix(rank, i));
    expected.set(i, all);
  }
  const auto judge = [&](const Memory& result, const char* what) {
    if (!CHECK(result == expected)) {  // the holes too
      std::fprintf(stderr, "rank %d: %s of %d matrices, %s\n", check::rank, what, count, layout->name);
    }
  };
  for (int root = 0; root < check::size; root += 2) {
    Memory result(count);
    CHECK_EQ(MPI_Reduce(mine.base(), result.base(), count, expected_type, op, root, world), MPI_SUCCESS);
    if (check::rank == root) judge(result, "MPI_Reduce");
  }
  Memory result(count);
  CHECK_EQ(MPI_Allreduce(mine.base(), result.base(), count, expected_type, op, world), MPI_SUCCESS);
  judge(result, "MPI_Allreduce");

  Memory local = mine;
  CHECK_EQ(MPI_Reduce_local(mine.base(), local.base(), count, expected_type, op), MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    CHECK(local.get(i) == product(matrix(check::rank, i), matrix(check::rank, i)));
  }
  CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, mine.base(), count, expected_type, op, world), MPI_SUCCESS);
  judge(mine, "MPI_Allreduce in place");
}

void matrices() {
  MPI_Op op;
  CHECK_EQ(MPI_Op_create(multiply, 0, &op), MPI_SUCCESS);
  for (const Layout& one_layout : layouts()) {
    layout = &one_layout;
    expected_type = one_layout.make();
    CHECK_EQ(MPI_Type_commit(&expected_type), MPI_SUCCESS);
    for (const int count : {0, 1, 2, 33, 5000}) multiply_matrices(op, count);
    // What is reduced by predefined operators is predefined.
    long numbers[64] = {}, results[64] = {};
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Allreduce(numbers + 32, results + 32, 1, expected_type, MPI_SUM, world), MPI_ERR_OP);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    CHECK_EQ(MPI_Type_free(&expected_type), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
}

// ---- strings

/// A length, which comes first in memory but not in the type, and so many characters; 41 bytes with holes.
struct Text {
  int length;
  double hole;
  char characters[36];
};

void append(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  CHECK(*type == expected_type);
  for (MPI_Count i = 0; i < *length; ++i) {
    const Text& left = static_cast<const Text*>(in)[i];
    Text& right = static_cast<Text*>(inout)[i];
    std::memmove(right.characters + left.length, right.characters, static_cast<std::size_t>(right.length));
    std::memcpy(right.characters, left.characters, static_cast<std::size_t>(left.length));
    right.length += left.length;
  }
}

void strings() {
  const int lengths[] = {36, 1};
  const MPI_Aint places[] = {offsetof(Text, characters), offsetof(Text, length)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_INT};
  MPI_Datatype packed;
  CHECK_EQ(MPI_Type_create_struct(2, lengths, places, types, &packed), MPI_SUCCESS);
  expected_type = resized(packed, 0, sizeof(Text));
  CHECK_EQ(MPI_Type_commit(&expected_type), MPI_SUCCESS);
  MPI_Op op;
  CHECK_EQ(MPI_Op_create_c(append, 0, &op), MPI_SUCCESS);
  for (int root = 0; root < check::size; ++root) {
    std::vector<Text> mine(3, Text{2, 0.5, ""}), result(3, Text{-1, 0.25, ""});
    for (Text& text : mine) {
      text.characters[0] = static_cast<char>('a' + check::rank);
      text.characters[1] = '.';
    }
    MPI_Op given = op;
    CHECK_EQ(MPI_Reduce(mine.data(), result.data(), 3, expected_type, given, root, world), MPI_SUCCESS);
    if (check::rank != root) continue;
    std::string all;
    for (int rank = 0; rank < check::size; ++rank) all += {static_cast<char>('a' + rank), '.'};
    for (const Text& text : result) {
      CHECK_EQ(std::string(text.characters, static_cast<std::size_t>(text.length)), all);
      CHECK_EQ(text.hole, 0.25);
    }
  }
  CHECK_EQ(MPI_Op_free(&op), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&expected_type), MPI_SUCCESS);
}

// ---- predefined types without a name

void fortran_kinds() {
  MPI_Datatype integer, real;
  CHECK_EQ(MPI_Type_create_f90_integer(9, &integer), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &real), MPI_SUCCESS);
  int number = check::rank + 1, sum = 0;
  CHECK_EQ(MPI_Allreduce(&number, &sum, 1, integer, MPI_SUM, world), MPI_SUCCESS);
  CHECK_EQ(sum, check::size * (check::size + 1) / 2);
  double value = check::rank, largest = -1;
  CHECK_EQ(MPI_Allreduce(&value, &largest, 1, real, MPI_MAX, world), MPI_SUCCESS);
  CHECK_EQ(largest, check::size - 1);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  matrices();
  strings();
  fortran_kinds();
  return program.finish();
}
