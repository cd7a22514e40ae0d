// SPDX-License-Identifier: BSD-3-Clause
// CollectiveCall: a collective call of the user, converted to the arguments of the algorithms. The blocking,
// non-blocking and persistent forms of a function fill it in the same way, and execute it in three ways.
//
// User-defined operators are called under the lock of the communicator's lane, by any thread that makes progress there.
// They may not communicate (MPI-5.0, section 6.9.5).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "api/collectives/member_blocks.hpp"
#include "api/collectives/staging.hpp"
#include "base/scratch.hpp"
#include "base/short_array.hpp"
#include "coll/calls/collectives.hpp"
#include "comm/communicator.hpp"
#include "comm/process_topology.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"

namespace bowline::api {

/// The positions and lengths of the blocks of a buffer.
using BlockTable = ShortArray<coll::Block, 8, ScratchPool>;

/// The neighbours of this process, for neighbourhood collectives, and the memory that describes them.
struct Neighbourhood {
  coll::Neighbours neighbours;
  coll::Torus torus;
  ScratchArray<int> around;  ///< the neighbours in a grid, followed by the offsets of the neighbours in a torus
};

class CollectiveCall {
 public:
  CollectiveCall(comm::Communicator& comm, coll::Operation operation) noexcept : comm_(comm), operation_(operation) {}
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;

  comm::Communicator& comm() const noexcept { return comm_; }
  coll::Operation operation() const noexcept { return operation_; }

  coll::Arguments arguments;

  /// The data of the user's buffer as one run of bytes: the buffer itself or, if it has holes, memory of the call.
  /// before() packs input into that memory, and after() unpacks output from it. A call has at most one input and one
  /// output buffer.
  std::span<const std::byte> input(const void* buffer, std::size_t count, const dtype::Datatype& type) {
    return inputs(buffer, count, type, 1)[0];
  }
  std::span<std::byte> output(void* buffer, std::size_t count, const dtype::Datatype& type) {
    return outputs(buffer, count, type, 1)[0];
  }
  std::span<std::byte> in_and_out(void* buffer, std::size_t count, const dtype::Datatype& type);

  /// Like input() and output(), for a buffer with one block per member.
  coll::Blocks inputs(const void* buffer, std::size_t count, const dtype::Datatype& type, int members) {
    see(type, count);
    return run_of(in_, buffer, count, type, members);
  }
  coll::Blocks outputs(void* buffer, std::size_t count, const dtype::Datatype& type, int members) {
    see(type, count);
    return run_of(out_, buffer, count, type, members);
  }
  coll::Blocks inputs(const MemberBlocks& pieces, int members);
  coll::Blocks outputs(const MemberBlocks& pieces, int members);
  /// Copies of the blocks of an output buffer, as input (MPI_IN_PLACE): the call overwrites the buffer.
  coll::Blocks copies(const void* buffer, std::size_t count, const dtype::Datatype& type, int members);
  coll::Blocks copies(const MemberBlocks& pieces, int members);
  /// The block of `member` in `outputs`, as input (MPI_IN_PLACE).
  std::span<const std::byte> own(const coll::Blocks& outputs, int member, const Piece& piece);

  /// Sets arguments.reduction. The functions below are for the operands of the reduction, which keep their holes unless
  /// the operator needs packed operands.
  void reduce_with(const dtype::Op& op, const dtype::Datatype& type) {
    arguments.reduction = &reduction_.emplace(op, type);
    arguments.type = dtype::signature_of(type);
  }
  std::span<const std::byte> operand(const void* buffer, std::size_t count) {
    if (reduction_->packed()) return input(buffer, count, reduction_->type());
    return {static_cast<const std::byte*>(buffer), count * reduction_->element()};
  }
  std::span<std::byte> reduced(void* buffer, std::size_t count) {
    if (reduction_->packed()) return output(buffer, count, reduction_->type());
    return {static_cast<std::byte*>(buffer), count * reduction_->element()};
  }
  /// An operand whose memory receives the result (MPI_IN_PLACE): the first `results` elements.
  std::span<std::byte> in_place(void* buffer, std::size_t count, std::size_t results);
  /// The blocks of the input, of which member i gets counts[i] elements.
  coll::Blocks parts(CountArray counts, int members);
  std::size_t element() const noexcept { return reduction_->element(); }

  /// Sets arguments.neighbours. Throws Error (topology) if the communicator has no topology.
  const coll::Neighbours& meet_neighbours();

  /// The number of bytes that this process sends and receives, as far as this process knows.
  std::size_t moves() const noexcept;

  /// The id of this call; the caller holds the lane's lock. Members of the two groups of an intercommunicator give
  /// different arguments, which are not compared.
  coll::CallId next_id(coll::CallForm form) {
    const coll::CallDetails details = comm_.inter() ? coll::CallDetails{} : coll::details_of(operation_, arguments);
    return comm_.team().next_id({operation_, form}, details);
  }

  /// Executes the call; the caller holds the lane's lock.
  void run();
  /// run() in parts, for forms that do not wait: before(), the task over a channel of the team, after().
  void before() const {
    in_.pack();
    if (keeps_output_) [[unlikely]]
      out_.pack();
  }
  Task begin(coll::TeamChannel& channel, coll::CallForm form);
  void after() const { out_.unpack(); }

 private:
  enum class Stage : std::uint8_t { if_holes, always };
  /// Sets arguments.type to the signature of the types of all buffers that hold data.
  void see(const dtype::Datatype& type, std::size_t count) noexcept {
    if (count == 0) return;
    const dtype::Signature seen = dtype::signature_of(type);
    arguments.type = !has_type_ || arguments.type == seen ? seen : dtype::Signature::any;
    has_type_ = true;
  }
  /// Blocks of equal length that follow each other are one array of elements.
  static coll::Blocks run_of(Staging& staging, const void* buffer, std::size_t count, const dtype::Datatype& type,
                             int members) {
    if (!type.contiguous()) [[unlikely]]
      return staged_run(staging, buffer, count, type, members);
    // Computed with integers, because no offset may be added to the pointer MPI_BOTTOM.
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(type.origin());
    return {reinterpret_cast<std::byte*>(begin), count * type.size()};
  }
  static coll::Blocks staged_run(Staging& staging, const void* buffer, std::size_t count, const dtype::Datatype& type,
                                 int members);
  coll::Blocks table_of(Staging& staging, BlockTable& table, const MemberBlocks& pieces, int members, Stage stage);
  void meet_grid(const comm::Cartesian& grid);

  comm::Communicator& comm_;
  coll::Operation operation_;
  std::optional<coll::Reduction> reduction_;
  std::optional<Neighbourhood> neighbourhood_;
  bool has_type_ = false;      ///< whether arguments.type is set
  bool keeps_output_ = false;  ///< whether some output blocks are not written and must keep their data
  Staging in_;
  Staging out_;
  BlockTable in_blocks_;
  BlockTable out_blocks_;
};

}  // namespace bowline::api
