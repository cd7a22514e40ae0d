// SPDX-License-Identifier: BSD-3-Clause
// Arguments: what one member brings to a collective operation, as the algorithms see it: runs of bytes. Buffers with
// holes have been packed before.
#pragma once

#include <cstddef>
#include <span>

#include "coll/reduction.hpp"

namespace bowline::coll {

/// Where a block lies in its buffer, in bytes.
struct Block {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

/// A buffer with a block for every member: equally long ones one after the other, or as a table says.
class Blocks {
 public:
  Blocks() = default;
  Blocks(std::byte* base, std::size_t each) noexcept : base_(base), each_(each) {}
  /// The table has as many entries as there are members, and is kept by the caller.
  Blocks(std::byte* base, const Block* table) noexcept : base_(base), table_(table) {}

  std::span<std::byte> operator[](int member) const noexcept {
    if (table_ != nullptr) return {base_ + table_[member].offset, table_[member].bytes};
    return {base_ + static_cast<std::size_t>(member) * each_, each_};
  }
  /// Blocks that lie in the same way from another base on.
  Blocks from(std::byte* base) const noexcept {
    Blocks moved = *this;
    moved.base_ = base;
    return moved;
  }
  /// Where a member's block lies, whatever the base.
  Block place(int member) const noexcept {
    if (table_ != nullptr) return table_[member];
    return {static_cast<std::ptrdiff_t>(static_cast<std::size_t>(member) * each_), each_};
  }
  /// Bytes of all blocks; `count`: how many there are.
  std::size_t total(int count) const noexcept {
    if (table_ == nullptr) return each_ * static_cast<std::size_t>(count);
    std::size_t bytes = 0;
    for (const Block& block : std::span(table_, static_cast<std::size_t>(count))) bytes += block.bytes;
    return bytes;
  }
  /// Whether the blocks are equally long and follow each other; what comes below is for those only.
  bool uniform() const noexcept { return table_ == nullptr; }
  std::size_t each() const noexcept { return each_; }
  std::span<std::byte> run(int first, int count) const noexcept {
    return {base_ + static_cast<std::size_t>(first) * each_, static_cast<std::size_t>(count) * each_};
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t each_ = 0;
  const Block* table_ = nullptr;
};

/// Processes in a torus, in row-major order of ranks, all of which have the same neighbours relative to themselves.
struct Torus {
  std::span<const int> dims;
  std::span<const int> offsets;  ///< a row of as many numbers as there are dimensions for each neighbour

  int dimensions() const noexcept { return static_cast<int>(dims.size()); }
  /// How far neighbour `index` is in a dimension: 0 to its length - 1.
  int offset(int index, int dimension) const noexcept {
    const auto length = dims[static_cast<std::size_t>(dimension)];
    const auto row = static_cast<std::size_t>(index) * dims.size();
    return (offsets[row + static_cast<std::size_t>(dimension)] % length + length) % length;
  }
  /// The rank that is so far away in a dimension.
  int moved(int rank, int dimension, int distance) const noexcept {
    int stride = 1;
    for (int behind = dimensions() - 1; behind > dimension; --behind) stride *= dims[static_cast<std::size_t>(behind)];
    const int length = dims[static_cast<std::size_t>(dimension)];
    const int coordinate = rank / stride % length;
    return rank + ((coordinate + distance + length) % length - coordinate) * stride;
  }
};

/// Those of the processes around one in a virtual topology that it receives from and sends to, in their order there.
/// One that is missing (MPI_PROC_NULL) is negative. A process may be there several times, and be its own neighbour: of
/// what two processes send each other, the k-th block sent is the k-th received (MPI-5.0, section 8.6).
struct Neighbours {
  std::span<const int> sources;
  std::span<const int> destinations;
  /// Whether they are those of a grid (MPI_Cart_create), both lists the same: by dimension, the lower one first. What
  /// goes to the lower one is what the process there gets from its higher one, also where the two are one process
  /// because the dimension is a ring of one or two: block i that is sent is block i ^ 1 where it is received.
  bool grid = false;
  /// Not nullptr if destination i is this process moved by row i of the offsets, for every i, and what comes with the
  /// same row from the opposite side is block i, or in a grid block i ^ 1. All periodic, and the same in all processes.
  const Torus* torus = nullptr;
};

/// What is set, and what it means, by operation. "Own" is what this member contributes. Input is never written to,
/// unless it is the result's memory as well (MPI_IN_PLACE).
///
/// - barrier: nothing.
/// - bcast: root; result: the data, in at the root, out elsewhere.
/// - gather, gatherv: root; input: own block; at the root receive: all blocks, its own among them, where input may be.
/// - scatter, scatterv: root; result: own block; at the root send: all blocks, where result may be its own.
/// - allgather, allgatherv: input: own block; receive: all blocks, where input may be its own.
/// - alltoall, alltoallv: send and receive: a block for and from each member, in different memory. Two members agree
///   on the length of the block between them; an empty one is not sent.
/// - reduce: root; input: own; result: at the root, may be the input; empty elsewhere.
/// - allreduce, scan, exscan: input: own; result: may be the input. Exscan leaves it alone at member 0.
/// - reduce_scatter, reduce_scatter_block: input: own, all blocks; receive: where blocks lie in the vector, one after
///   the other (its base means nothing); result: own block of the result, may be the beginning of the input.
/// - neighbor_...: neighbours; send: a block for each destination (allgather: input); receive: one from each source.
struct Arguments {
  int root = 0;
  std::span<const std::byte> input;
  std::span<std::byte> result;
  Blocks send;  ///< only read
  Blocks receive;
  const Reduction* reduction = nullptr;
  const Neighbours* neighbours = nullptr;
  /// Longest part that pipelines move at once, in bytes; a multiple of the reduction's element. 0: all at once.
  std::size_t segment = 0;
};

}  // namespace bowline::coll
