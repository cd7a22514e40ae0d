// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/composition.hpp"

#include "dtype/datatype.hpp"

namespace bowline::dtype {

const char* constructor_name(Combiner combiner) noexcept {
  switch (combiner) {
    case Combiner::named:
      return "a predefined datatype";
    case Combiner::dup:
      return "MPI_Type_dup";
    case Combiner::contiguous:
      return "MPI_Type_contiguous";
    case Combiner::vector:
      return "MPI_Type_vector";
    case Combiner::hvector:
      return "MPI_Type_create_hvector";
    case Combiner::indexed:
      return "MPI_Type_indexed";
    case Combiner::hindexed:
      return "MPI_Type_create_hindexed";
    case Combiner::indexed_block:
      return "MPI_Type_create_indexed_block";
    case Combiner::hindexed_block:
      return "MPI_Type_create_hindexed_block";
    case Combiner::structure:
      return "MPI_Type_create_struct";
    case Combiner::subarray:
      return "MPI_Type_create_subarray";
    case Combiner::darray:
      return "MPI_Type_create_darray";
    case Combiner::f90_real:
      return "MPI_Type_create_f90_real";
    case Combiner::f90_complex:
      return "MPI_Type_create_f90_complex";
    case Combiner::f90_integer:
      return "MPI_Type_create_f90_integer";
    case Combiner::resized:
      return "MPI_Type_create_resized";
    case Combiner::value_index:
      return "MPI_Type_get_value_index";
  }
  return "an unknown constructor";
}

Composition::Composition(const Envelope& envelope, std::span<const TypeRef> types) noexcept : types_(types) {
  mixed_ = envelope.combiner == Combiner::structure;
  const bool in_bytes = envelope.combiner != Combiner::vector && envelope.combiner != Combiner::indexed &&
                        envelope.combiner != Combiner::indexed_block;
  unit_ = in_bytes ? 1 : types[0]->extent();
  if (envelope.large) {
    read_large(envelope);
  } else {
    read_small(envelope);
  }
}

void Composition::read_small(const Envelope& envelope) noexcept {
  const int* const integers = envelope.integers.data();
  const std::int64_t* const addresses = envelope.addresses.data();
  if (envelope.combiner == Combiner::contiguous) {
    lengths_ = Numbers::same(integers[0]);
    return;
  }
  size_ = static_cast<std::size_t>(integers[0]);
  switch (envelope.combiner) {
    case Combiner::vector:
      lengths_ = Numbers::same(integers[1]);
      places_ = Numbers::steps(integers[2]);
      break;
    case Combiner::hvector:
      lengths_ = Numbers::same(integers[1]);
      places_ = Numbers::steps(addresses[0]);
      break;
    case Combiner::indexed:
      lengths_ = Numbers::array(integers + 1);
      places_ = Numbers::array(integers + 1 + size_);
      break;
    case Combiner::indexed_block:
      lengths_ = Numbers::same(integers[1]);
      places_ = Numbers::array(integers + 2);
      break;
    case Combiner::hindexed_block:
      lengths_ = Numbers::same(integers[1]);
      places_ = Numbers::array(addresses);
      break;
    default:  // hindexed, structure
      lengths_ = Numbers::array(integers + 1);
      places_ = Numbers::array(addresses);
  }
}

void Composition::read_large(const Envelope& envelope) noexcept {
  const std::int64_t* const counts = envelope.counts.data();
  if (envelope.combiner == Combiner::contiguous) {
    lengths_ = Numbers::same(counts[0]);
    return;
  }
  size_ = static_cast<std::size_t>(counts[0]);
  switch (envelope.combiner) {
    case Combiner::vector:
    case Combiner::hvector:
      lengths_ = Numbers::same(counts[1]);
      places_ = Numbers::steps(counts[2]);
      break;
    case Combiner::indexed_block:
    case Combiner::hindexed_block:
      lengths_ = Numbers::same(counts[1]);
      places_ = Numbers::array(counts + 2);
      break;
    default:  // indexed, hindexed, structure
      lengths_ = Numbers::array(counts + 1);
      places_ = Numbers::array(counts + 1 + size_);
  }
}

const Datatype& Composition::type(std::size_t i) const noexcept {
  return *types_[mixed_ ? i : 0];
}

}  // namespace bowline::dtype
