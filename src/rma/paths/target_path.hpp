// SPDX-License-Identifier: BSD-3-Clause
// TargetPath: how operations reach the memory of a target. A window has one object of each kind and chooses one for
// each target, at the first operation on it (Window::choose_paths).
//
//   mapped       load, store and atomic instructions, where the target's memory is mapped here
//   single_copy  system calls that read and write another process's memory (cross-memory attach), on one node
//   adapter      a network adapter reads, writes and updates the memory
//   messages     the target's process executes the operation when it makes progress
//
// `mapped` and `single_copy` complete an operation before they return.
#pragma once

#include <cstddef>

#include "dtype/datatype.hpp"
#include "dtype/op.hpp"
#include "proto/request.hpp"
#include "rma/target.hpp"
#include "rma/target_data.hpp"

namespace bowline::rma {

class RmaRequest;

/// target = origin (op) target. The origin's data and the former data of the target; each is none if its type is
/// nullptr.
struct Accumulate {
  proto::Buffer origin;
  proto::Buffer result;
  TargetData place;
  const dtype::Op* op;
  const dtype::Datatype* element;  ///< of which the types consist

  bool fetches() const noexcept { return result.type != nullptr; }
  bool has_data() const noexcept { return origin.type != nullptr; }
};

/// The arguments of MPI_Compare_and_swap; one element each.
struct Swap {
  const std::byte* compare;
  const std::byte* origin;
  std::byte* result;
  TargetData place;
};

/// Operations have at least one byte, and equally many on both sides. The caller has checked them, except for the
/// bounds of the target's memory. The functions throw Error if nothing was done. Otherwise an error comes from the
/// request, if there is one, or later from Target::failure.
class TargetPath {
 public:
  virtual ~TargetPath() = default;
  virtual const char* name() const noexcept = 0;

  virtual void put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) = 0;
  virtual void get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) = 0;
  virtual void accumulate(Target& target, const Accumulate& what, RmaRequest* request) = 0;
  virtual void swap(Target& target, const Swap& what) = 0;

  /// Starts to complete all operations on the target, at the target. flushed() becomes true after progress.
  virtual void begin_flush(Target&) {}
  virtual bool flushed(const Target&) const noexcept { return true; }
  /// Whether the origin's buffers may be reused, and the results are there.
  virtual bool locally_done(const Target&) const noexcept { return true; }
};

}  // namespace bowline::rma
