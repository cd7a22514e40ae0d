// SPDX-License-Identifier: BSD-3-Clause
// MPI_Type_get_contents: the arguments of a datatype's constructor, among them datatypes, orders and distributions.
#include "front/functions.hpp"
#include "front/scratch.hpp"
#include "front/values.hpp"

namespace front {
namespace {

/// Converts those integers that are constants of MPI. `sizes_among`: whether the sizes of the array are among the
/// integers; otherwise they are large counts.
void convert_integers(int combiner, int* integers, bool sizes_among) noexcept {
  if (combiner == MPI_COMBINER_SUBARRAY) {
    const int dimensions = integers[0];
    int& order = integers[1 + (sizes_among ? 3 * dimensions : 0)];
    order = abi::out_order(order);
  } else if (combiner == MPI_COMBINER_DARRAY) {
    const int dimensions = integers[2];
    int* const distributions = integers + 3 + (sizes_among ? dimensions : 0);
    int* const arguments = distributions + dimensions;
    for (int i = 0; i < dimensions; ++i) {
      distributions[i] = abi::out_distribution(distributions[i]);
      arguments[i] = abi::out_distribution_argument(arguments[i]);
    }
    int& order = arguments[2 * dimensions];
    order = abi::out_order(order);
  }
}

void convert_types(MPI_Count count, const MPI_Datatype* standard, abi::Datatype* here) noexcept {
  for (MPI_Count i = 0; i < count; ++i) here[i] = abi::out_type(standard[i]);
}

}  // namespace

int type_get_contents(abi::Datatype type, int max_integers, int max_addresses, int max_types, int* integers,
                      MPI_Aint* addresses, abi::Datatype* types) {
  const MPI_Datatype standard = abi::in_type(type);
  Scratch<MPI_Datatype> found(length(max_types));
  const int code = bowline_PMPI_Type_get_contents(standard, max_integers, max_addresses, max_types, integers, addresses,
                                                  types == nullptr ? nullptr : found.data());
  if (code != MPI_SUCCESS) return out_code(code);
  int combiner = 0;
  int numbers[3] = {};
  bowline_PMPI_Type_get_envelope(standard, &numbers[0], &numbers[1], &numbers[2], &combiner);
  convert_integers(combiner, integers, true);
  convert_types(numbers[2], found.data(), types);
  return MPI_SUCCESS;
}

int type_get_contents(abi::Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                      MPI_Count max_types, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                      abi::Datatype* types) {
  const MPI_Datatype standard = abi::in_type(type);
  Scratch<MPI_Datatype> found(length(max_types));
  const int code =
      bowline_PMPI_Type_get_contents_c(standard, max_integers, max_addresses, max_large_counts, max_types, integers,
                                       addresses, large_counts, types == nullptr ? nullptr : found.data());
  if (code != MPI_SUCCESS) return out_code(code);
  int combiner = 0;
  MPI_Count numbers[4] = {};
  bowline_PMPI_Type_get_envelope_c(standard, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &combiner);
  convert_integers(combiner, integers, numbers[2] == 0);
  convert_types(numbers[3], found.data(), types);
  return MPI_SUCCESS;
}

}  // namespace front
