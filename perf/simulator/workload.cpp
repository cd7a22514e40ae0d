// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/workload.hpp"

#include <cmath>

#include "dtype/predefined.hpp"

namespace bowline::sim {
namespace {

using coll::Operation;

constexpr std::uintptr_t mpi_bor = 0x29;

/// Bytes combined bit by bit, so that every length is a whole number of elements.
coll::Reduction reduction_of(bool ordered) {
  static dtype::Op& in_order = dtype::Op::make({}, false);  // never called: the simulated members combine nothing
  return {ordered ? in_order : *dtype::predefined_op(mpi_bor), dtype::byte_type()};
}

coll::Arguments arguments_of(const Call& call, std::size_t ranks, bool root, const coll::Reduction& reduction) {
  const std::size_t bytes = call.bytes;
  std::byte* const input = untouchable(0);
  std::byte* const output = untouchable(1);
  coll::Arguments made{.root = call.root};
  switch (call.operation) {
    case Operation::barrier:
      break;
    case Operation::bcast:
      made.result = {output, bytes};
      break;
    case Operation::gather:
    case Operation::gatherv:
      made.input = {input, bytes};
      if (root) made.receive = {output, bytes};
      break;
    case Operation::scatter:
    case Operation::scatterv:
      made.result = {output, bytes};
      if (root) made.send = {input, bytes};
      break;
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::neighbor_allgather:
      made.input = {input, bytes};
      made.receive = {output, bytes};
      break;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::neighbor_alltoall:
      made.send = {input, bytes};
      made.receive = {output, bytes};
      break;
    case Operation::reduce_scatter_block:
    case Operation::reduce_scatter:
      made.input = {input, ranks * bytes};
      made.receive = {nullptr, bytes};
      made.result = {output, bytes};
      made.reduction = &reduction;
      break;
    case Operation::reduce:
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
      made.input = {input, bytes};
      if (root || call.operation != Operation::reduce) made.result = {output, bytes};
      made.reduction = &reduction;
      break;
  }
  return made;
}

}  // namespace

std::byte* untouchable(unsigned number) noexcept {
  // No processor of today has memory there: whoever looks is stopped.
  return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 62) + (std::uintptr_t{number} << 58));
}

Workload::Workload(const Call& call, int ranks, std::size_t segment)
    : reduction_(reduction_of(call.ordered)),
      root_(call.root),
      at_root_(arguments_of(call, static_cast<std::size_t>(ranks), true, reduction_)),
      elsewhere_(arguments_of(call, static_cast<std::size_t>(ranks), false, reduction_)) {
  at_root_.segment = elsewhere_.segment = segment;
  if (call.operation == Operation::neighbor_allgather || call.operation == Operation::neighbor_alltoall) {
    make_grid(ranks);
  }
}

void Workload::make_grid(int ranks) {
  int rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % rows != 0) --rows;
  const int columns = ranks / rows;
  const auto at = [=](int row, int column) { return (row + rows) % rows * columns + (column + columns) % columns; };
  around_.reserve(static_cast<std::size_t>(ranks));
  neighbours_.reserve(static_cast<std::size_t>(ranks));
  each_.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    const int row = rank / columns;
    const int column = rank % columns;
    around_.push_back({at(row - 1, column), at(row + 1, column), at(row, column - 1), at(row, column + 1)});
    neighbours_.push_back({around_.back(), around_.back()});
    each_.push_back(elsewhere_);
    each_.back().neighbours = &neighbours_.back();
  }
}

}  // namespace bowline::sim
