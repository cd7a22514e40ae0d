// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/construction/remake.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "dtype/construction/construct.hpp"

namespace bowline::dtype {
namespace {

// Values of the standard ABI: MPI_ORDER_C, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG.
constexpr int order_c = 12;
constexpr int distribute_none = 16;
constexpr int distribute_block = 17;
constexpr int default_argument = 19;

/// Reads the numbers of an envelope in the order in which the constructor received them: counts come from the array of
/// its form.
class EnvelopeNumbers {
 public:
  explicit EnvelopeNumbers(const Envelope& envelope) noexcept : envelope_(envelope) {}

  int integer() { return envelope_.integers.at(integer_++); }
  std::int64_t count() { return envelope_.large ? envelope_.counts.at(count_++) : integer(); }
  std::int64_t address(std::size_t i) const {
    return envelope_.large ? envelope_.counts.at(i) : envelope_.addresses.at(i);
  }
  template <class Read>
  std::vector<std::int64_t> several(std::size_t n, Read read) {
    std::vector<std::int64_t> values(n);
    for (std::int64_t& value : values) value = read();
    return values;
  }
  std::vector<std::int64_t> integers(std::size_t n) {
    return several(n, [this] { return integer(); });
  }
  std::vector<std::int64_t> counts(std::size_t n) {
    return several(n, [this] { return count(); });
  }
  Order order() { return integer() == order_c ? Order::c : Order::fortran; }

 private:
  const Envelope& envelope_;
  std::size_t integer_ = 0;
  std::size_t count_ = 0;
};

Datatype& remake_subarray(const Envelope& envelope, const Datatype& type) {
  EnvelopeNumbers given(envelope);
  const auto dimensions = static_cast<std::size_t>(given.integer());
  const auto sizes = given.counts(dimensions), subsizes = given.counts(dimensions), starts = given.counts(dimensions);
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < dimensions; ++i) slices.push_back({sizes[i], subsizes[i], starts[i]});
  return subarray(envelope, type, slices, given.order());
}

std::int64_t block_of(std::int64_t distribution, std::int64_t argument, std::int64_t size, std::int64_t processes) {
  if (distribution == distribute_none) return size;
  if (argument != default_argument) return argument;
  return distribution == distribute_block ? (size - 1) / processes + 1 : 1;
}

Datatype& remake_darray(const Envelope& envelope, const Datatype& type) {
  EnvelopeNumbers given(envelope);
  std::int64_t left = given.integer();
  const std::int64_t rank = given.integer();
  const auto dimensions = static_cast<std::size_t>(given.integer());
  const auto sizes = given.counts(dimensions);
  const auto distributions = given.integers(dimensions), arguments = given.integers(dimensions),
             processes = given.integers(dimensions);
  std::vector<Distribution> parts;
  for (std::size_t i = 0; i < dimensions; ++i) {
    left /= processes[i];  // processes in the remaining dimensions: ranks are in row-major order
    const std::int64_t block = block_of(distributions[i], arguments[i], sizes[i], processes[i]);
    parts.push_back({sizes[i], block, processes[i], rank / left % processes[i]});
  }
  return darray(envelope, type, parts, given.order());
}

}  // namespace

Datatype& remake(const Envelope& envelope, std::vector<TypeRef> types) {
  switch (envelope.combiner) {
    case Combiner::dup:
      return duplicate(*types.at(0));
    case Combiner::subarray:
      return remake_subarray(envelope, *types.at(0));
    case Combiner::darray:
      return remake_darray(envelope, *types.at(0));
    case Combiner::resized: {
      const EnvelopeNumbers given(envelope);
      return resize(envelope, *types.at(0), given.address(0), given.address(1));
    }
    case Combiner::named:
    case Combiner::f90_real:
    case Combiner::f90_complex:
    case Combiner::f90_integer:
    case Combiner::value_index:
      throw Error(ErrorClass::intern, "a predefined datatype cannot be made again");
    default:
      return compose(envelope, std::move(types));
  }
}

}  // namespace bowline::dtype
