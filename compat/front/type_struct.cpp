// SPDX-License-Identifier: BSD-3-Clause
// MPI_Type_create_struct, where programs of the time before MPI-3.0 give MPI_LB and MPI_UB among the types: marks of
// the bounds of the new type.
#include <algorithm>
#include <optional>

#include "front/functions.hpp"
#include "front/scratch.hpp"
#include "front/values.hpp"

namespace front {
namespace {

template <class Count>
struct Blocks {
  Count count;
  const Count* lengths;
  const std::conditional_t<sizeof(Count) == sizeof(int), MPI_Aint, MPI_Count>* displacements;
  const abi::Datatype* types;
};

int create(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
           MPI_Datatype* newtype) {
  return bowline_PMPI_Type_create_struct(count, lengths, displacements, types, newtype);
}
int create(MPI_Count count, const MPI_Count* lengths, const MPI_Count* displacements, const MPI_Datatype* types,
           MPI_Datatype* newtype) {
  return bowline_PMPI_Type_create_struct_c(count, lengths, displacements, types, newtype);
}

/// The same type with the bounds that are given.
int resize(MPI_Datatype* type, std::optional<MPI_Count> lower, std::optional<MPI_Count> upper) {
  MPI_Count lower_bound = 0;
  MPI_Count extent = 0;
  int code = bowline_PMPI_Type_get_extent_c(*type, &lower_bound, &extent);
  const MPI_Count from = lower.value_or(lower_bound);
  const MPI_Count to = upper.value_or(lower_bound + extent);
  MPI_Datatype unbounded = *type;
  if (code == MPI_SUCCESS) code = bowline_PMPI_Type_create_resized_c(unbounded, from, to - from, type);
  bowline_PMPI_Type_free(&unbounded);
  return code;
}

template <class Count>
int create_struct(const Blocks<Count>& given, abi::Datatype* newtype) {
  using Displacement = std::remove_cvref_t<decltype(*given.displacements)>;
  const auto is_mark = [](abi::Datatype type) { return abi::is_lower_bound(type) || abi::is_upper_bound(type); };
  Scratch<MPI_Datatype> types(given.types == nullptr ? 0 : length(given.count));
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const bool marked = types.size() > 0 && std::any_of(given.types, given.types + given.count, is_mark);
  if (!marked) [[likely]] {
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = abi::in_type(given.types[i]);
    const int code = create(given.count, given.lengths, given.displacements,
                            given.types == nullptr ? nullptr : types.data(), newtype == nullptr ? nullptr : &made);
    if (code == MPI_SUCCESS) *newtype = abi::out_type(made);
    return out_code(code);
  }
  Scratch<Count> lengths(length(given.count));
  Scratch<Displacement> displacements(length(given.count));
  std::optional<MPI_Count> lower;
  std::optional<MPI_Count> upper;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto at = static_cast<MPI_Count>(given.displacements[i]);
    if (abi::is_lower_bound(given.types[i])) {
      lower = std::min(lower.value_or(at), at);
    } else if (abi::is_upper_bound(given.types[i])) {
      upper = std::max(upper.value_or(at), at);
    } else {
      types[kept] = abi::in_type(given.types[i]);
      lengths[kept] = given.lengths[i];
      displacements[kept++] = given.displacements[i];
    }
  }
  int code = create(static_cast<Count>(kept), lengths.data(), displacements.data(), types.data(),
                    newtype == nullptr ? nullptr : &made);
  if (code == MPI_SUCCESS) code = resize(&made, lower, upper);
  if (code == MPI_SUCCESS) *newtype = abi::out_type(made);
  return out_code(code);
}

}  // namespace

int type_create_struct(int count, const int* lengths, const MPI_Aint* displacements, const abi::Datatype* types,
                       abi::Datatype* newtype) {
  return create_struct(Blocks<int>{count, lengths, displacements, types}, newtype);
}

int type_create_struct(MPI_Count count, const MPI_Count* lengths, const MPI_Count* displacements,
                       const abi::Datatype* types, abi::Datatype* newtype) {
  return create_struct(Blocks<MPI_Count>{count, lengths, displacements, types}, newtype);
}

}  // namespace front
