// SPDX-License-Identifier: BSD-3-Clause
// CollectiveCall: a collective call of the user, translated to what the algorithms see. The blocking, non-blocking and
// persistent forms of a function fill the same one and carry it out in three ways.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "coll/collectives.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "dtype/op.hpp"

namespace bowline::api {

class CollectiveCall {
 public:
  /// Among the members of this team of the communicator.
  CollectiveCall(coll::Team& team, coll::Operation operation) noexcept : team_(team), operation_(operation) {}
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;

  coll::Arguments arguments;

  /// What lies in the user's buffer as one run of bytes: the buffer itself, or, if it has holes, memory of the call,
  /// which before() fills from the buffer and after() writes back to it.
  std::span<const std::byte> input(const void* buffer, std::size_t count, const dtype::Datatype& type);
  std::span<std::byte> output(void* buffer, std::size_t count, const dtype::Datatype& type);
  std::span<std::byte> in_and_out(void* buffer, std::size_t count, const dtype::Datatype& type);

  /// Sets arguments.reduction. The two below are for its operands, which stay as wide as in memory unless the operator
  /// needs them packed.
  void reduce_with(const dtype::Op& op, const dtype::Datatype& type);
  std::span<const std::byte> operand(const void* buffer, std::size_t count);
  /// `in`: whether the operand is there too (MPI_IN_PLACE).
  std::span<std::byte> reduced(void* buffer, std::size_t count, bool in);

  /// Carries the call out; the caller holds the lane's lock.
  void run();
  /// The same in parts, for forms that do not wait: before(), the task over a channel of the team, after().
  void before();
  Task begin(coll::Channel& channel) { return coll::begin(team_, channel, operation_, arguments); }
  void after();

 private:
  /// Data of a buffer with holes, without them.
  struct Staged {
    dtype::TypeRef type;
    std::size_t count;
    void* buffer;  ///< of the user; only read unless `out`
    std::unique_ptr<std::byte[]> packed;
    bool in;
    bool out;
  };
  std::span<std::byte> stage(void* buffer, std::size_t count, const dtype::Datatype& type, bool in, bool out);

  coll::Team& team_;
  coll::Operation operation_;
  std::optional<coll::Reduction> reduction_;
  std::vector<Staged> staged_;
};

}  // namespace bowline::api
