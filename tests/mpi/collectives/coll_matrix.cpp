// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation within one group: forms, counts, datatypes, operators, roots, in place.
#include <array>

#include "coll_reduce.hpp"

namespace {

// 2x2 matrices of unsigned integers: their product depends on the order.
void multiply(void* in, void* inout, int* length, MPI_Datatype*) {
  using Matrix = std::array<unsigned, 4>;
  auto* left = static_cast<Matrix*>(in);
  auto* right = static_cast<Matrix*>(inout);
  for (int i = 0; i < *length; ++i) {
    const Matrix a = left[i], b = right[i];
    right[i] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                a[2] * b[1] + a[3] * b[3]};
  }
}

// On the datatype with the integers at 12 and at 4: (a, b) and (c, d) make (ac, bc + d), as functions are composed.
void compose(void* in, void* inout, int* length, MPI_Datatype*) {
  auto* left = static_cast<unsigned char*>(in);
  auto* right = static_cast<unsigned char*>(inout);
  for (int i = 0; i < *length; ++i, left += 20, right += 20) {
    std::array<unsigned, 2> a, b;
    for (std::size_t k = 0; k < 2; ++k) {
      std::memcpy(&a[k], left + 12 - 8 * k, sizeof(unsigned));
      std::memcpy(&b[k], right + 12 - 8 * k, sizeof(unsigned));
    }
    const std::array<unsigned, 2> made = {a[0] * b[0], a[1] * b[0] + b[1]};
    for (std::size_t k = 0; k < 2; ++k) std::memcpy(right + 12 - 8 * k, &made[k], sizeof(unsigned));
  }
}

void all_cases(MPI_Comm comm, const std::vector<coll::Layout>& layouts, const std::vector<coll::Combination>& hows) {
  const coll::Sides sides(comm);
  std::size_t number = 0;
  for (const int count : {0, 1, 7, 300, 5000}) {
    for (const bool in_place : {false, true}) {
      for (const int root : {0, sides.size - 1}) {
        for (const coll::Form form : coll::forms) {
          const std::size_t n = number++;
          const coll::Case c{form,
                             n / 3 % 2 == 0,
                             in_place,
                             count,
                             root,
                             true,
                             layouts[n % layouts.size()],
                             layouts[(n + n / 3) % layouts.size()],
                             static_cast<int>(n)};
          coll::all_data(sides, c);
          coll::all_reductions(sides, c, hows[n * 5 % hows.size()]);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  auto layouts = coll::make_layouts();
  MPI_Datatype matrix;
  MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op product, composition;
  MPI_Op_create(multiply, 0, &product);
  MPI_Op_create(compose, 0, &composition);
  const std::vector<coll::Combination> hows = {{MPI_UNSIGNED, sizeof(unsigned), MPI_SUM},
                                               {matrix, 16, product},
                                               {MPI_SHORT, sizeof(short), MPI_MAX},
                                               {layouts[2].type, layouts[2].extent, composition}};
  all_cases(MPI_COMM_WORLD, layouts, hows);
  all_cases(MPI_COMM_SELF, layouts, hows);
  MPI_Op_free(&product);
  MPI_Op_free(&composition);
  MPI_Type_free(&matrix);
  coll::free_layouts(layouts);
  return program.finish();
}
