// SPDX-License-Identifier: BSD-3-Clause
// The constructors of derived datatypes. The caller has checked the arguments: lengths are not negative, arrays have
// the right length. A size that does not fit 64 bits throws Error (arg) here.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// Serves every constructor whose envelope describes blocks: contiguous to structure.
Datatype& compose(Envelope envelope, std::vector<TypeRef> types);
Datatype& compose(Envelope envelope, const Datatype& type);

Datatype& duplicate(const Datatype& type);
Datatype& resize(Envelope envelope, const Datatype& type, std::int64_t lb, std::int64_t extent);

enum class Order : std::uint8_t { c, fortran };

/// One dimension of a subarray.
struct Slice {
  std::int64_t size;  ///< of the whole array
  std::int64_t subsize;
  std::int64_t start;
};
Datatype& subarray(Envelope envelope, const Datatype& type, std::span<const Slice> dimensions, Order order);

/// One dimension of a distributed array from the view of one process: blocks of `block` elements are assigned to
/// `processes` round-robin, the first one to process 0.
struct Distribution {
  std::int64_t size;  ///< of the whole array
  std::int64_t block;
  std::int64_t processes;
  std::int64_t coordinate;  ///< coordinate of this process
};
Datatype& darray(Envelope envelope, const Datatype& type, std::span<const Distribution> dimensions, Order order);

}  // namespace bowline::dtype
