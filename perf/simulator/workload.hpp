// SPDX-License-Identifier: BSD-3-Clause
// Workload: the arguments of every member of a simulated operation. There is no memory at the addresses of their
// buffers, so nothing may access the data.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "coll/channel/algorithm.hpp"

namespace bowline::sim {

/// What is asked for. `bytes` is the length by which algorithms are chosen (coll::bytes_of): of all data of a broadcast
/// or a reduction, of one member's block of the other operations.
struct Call {
  coll::Operation operation = coll::Operation::barrier;
  std::size_t bytes = 0;
  int root = 0;
  bool ordered = false;  ///< with an operator that does not commute
};

/// The address of memory that nobody touches; each `number` from 0 to 15 has a quarter of an exabyte of its own.
std::byte* untouchable(unsigned number) noexcept;

class Workload {
 public:
  /// Neighbourhood operations get a periodic grid of two dimensions. `segment`: coll::Arguments::segment.
  Workload(const Call& call, int ranks, std::size_t segment);
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  /// Valid as long as the workload.
  const coll::Arguments& of(int rank) const noexcept {
    return each_.empty() ? rank == root_ ? at_root_ : elsewhere_ : each_[static_cast<std::size_t>(rank)];
  }

 private:
  void make_grid(int ranks);

  coll::Reduction reduction_;
  int root_;
  coll::Arguments at_root_;
  coll::Arguments elsewhere_;
  std::vector<std::array<int, 4>> around_;
  std::vector<coll::Neighbours> neighbours_;
  std::vector<coll::Arguments> each_;  ///< of neighbourhood operations only
};

}  // namespace bowline::sim
