// SPDX-License-Identifier: BSD-3-Clause
// Arguments: the buffers of one member of a collective operation, as the algorithms see them: runs of bytes. The caller
// packs buffers with holes before.
#pragma once

#include <cstddef>
#include <span>

#include "coll/channel/reduction.hpp"
#include "dtype/signature.hpp"

namespace bowline::coll {

/// Where a block lies in its buffer, in bytes.
struct Block {
  std::ptrdiff_t offset;
  std::size_t bytes;
};

/// A buffer with a block for every member: blocks of equal length one after the other, or blocks that a table
/// describes.
class Blocks {
 public:
  Blocks() = default;
  Blocks(std::byte* base, std::size_t each) noexcept : base_(base), each_(each) {}
  /// The table has one entry per member; the caller keeps it.
  Blocks(std::byte* base, const Block* table) noexcept : base_(base), table_(table) {}

  std::span<std::byte> operator[](int member) const noexcept {
    if (table_ != nullptr) return {base_ + table_[member].offset, table_[member].bytes};
    return {base_ + static_cast<std::size_t>(member) * each_, each_};
  }
  /// Blocks with the same offsets and lengths at another base.
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
  /// Whether the blocks have equal lengths and follow each other. The functions below need such blocks.
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

/// Processes in a torus, in row-major order of ranks. All have the same neighbours relative to themselves.
struct Torus {
  std::span<const int> dims;
  std::span<const int> offsets;  ///< for each neighbour a row with one number per dimension

  int dimensions() const noexcept { return static_cast<int>(dims.size()); }
  /// How far neighbour `index` is in a dimension: 0 to its length - 1.
  int offset(int index, int dimension) const noexcept {
    const auto length = dims[static_cast<std::size_t>(dimension)];
    const auto row = static_cast<std::size_t>(index) * dims.size();
    return (offsets[row + static_cast<std::size_t>(dimension)] % length + length) % length;
  }
  /// The rank at this distance from `rank` in a dimension.
  int moved(int rank, int dimension, int distance) const noexcept {
    int stride = 1;
    for (int behind = dimensions() - 1; behind > dimension; --behind) stride *= dims[static_cast<std::size_t>(behind)];
    const int length = dims[static_cast<std::size_t>(dimension)];
    const int coordinate = rank / stride % length;
    return rank + ((coordinate + distance + length) % length - coordinate) * stride;
  }
};

/// The neighbours of a process in a virtual topology: the sources from which it receives and the destinations to which
/// it sends, in the order of the topology. A missing neighbour (MPI_PROC_NULL) is negative. A process may appear
/// several times and may be its own neighbour: between two processes, the k-th block sent is the k-th block received
/// (MPI-5.0, section 8.6).
struct Neighbours {
  std::span<const int> sources;
  std::span<const int> destinations;
  /// Whether the topology is a grid (MPI_Cart_create). Both lists are then equal: by dimension, the lower neighbour
  /// first. The lower neighbour receives a block from its higher neighbour, even if both are one process because the
  /// dimension is a ring of one or two: the block sent at index i is received at index i ^ 1.
  bool grid = false;
  /// Not nullptr if, for every i, destination i is this process moved by row i of the offsets, and the block that
  /// arrives from the opposite side is block i (in a grid block i ^ 1). All dimensions are periodic, and all processes
  /// have the same torus.
  const Torus* torus = nullptr;
};

/// The members that each operation sets, and their meaning. "Own" is the contribution of this member. Algorithms never
/// write to the input, unless it is the result's memory as well (MPI_IN_PLACE).
///
/// - barrier: nothing.
/// - bcast: root; result: the data, input at the root, output elsewhere.
/// - gather, gatherv: root; input: own block; at the root receive: all blocks, its own among them, where input may be.
/// - scatter, scatterv: root; result: own block; at the root send: all blocks, where result may be its own.
/// - allgather, allgatherv: input: own block; receive: all blocks, where input may be its own.
/// - alltoall, alltoallv: send and receive: a block for and from each member, in different memory. Two members give the
///   same length for the block between them; empty blocks are not sent.
/// - reduce: root; input: own; result: at the root, may be the input; empty elsewhere.
/// - allreduce, scan, exscan: input: own; result: may be the input. Exscan leaves it alone at member 0.
/// - reduce_scatter, reduce_scatter_block: input: own, all blocks; receive: where blocks lie in the vector, one after
///   the other (the base address of `receive` means nothing); result: own block of the result, may be the beginning of
///   the input.
/// - neighbor_...: neighbours; send: a block for each destination (allgather: input); receive: one from each source.
struct Arguments {
  int root = 0;
  std::span<const std::byte> input;
  std::span<std::byte> result;
  Blocks send;  ///< only read
  Blocks receive;
  dtype::Signature type = dtype::Signature::any;  ///< of the data
  const Reduction* reduction = nullptr;
  const Neighbours* neighbours = nullptr;
  /// Length of the pieces that pipelines move, in bytes; a multiple of the reduction's element. 0: one piece.
  std::size_t segment = 0;
};

}  // namespace bowline::coll
