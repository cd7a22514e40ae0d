// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/mapped_path.hpp"

#include <algorithm>

#include "dtype/predefined.hpp"
#include "rma/accumulator.hpp"
#include "rma/paths/mapped_run.hpp"
#include "rma/paths/operand.hpp"
#include "rma/paths/typed_copy.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

/// Data with holes are packed in portions of at most this many bytes.
constexpr std::size_t mapped_portion = 32 << 10;

}  // namespace

/// The address of the place's displacement. Throws Error (rma_range).
std::byte* MappedPath::locate(const Target& target, const TargetData& place) const {
  if (window_.flavor() == Flavor::dynamic) {  // this process itself
    window_.check_attached(place, target.rank);
    return reinterpret_cast<std::byte*>(place.displacement);
  }
  if (std::byte* const run = mapped_run(target, place)) [[likely]]
    return run - place.type->origin();
  std::int64_t offset = 0;
  if (!lies_within(place, target.unit, target.size, offset)) [[unlikely]]
    refuse_range(place, target.unit, target.size, target.rank, window_.in_words());
  return target.base + offset;
}

void MappedPath::put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest*) {
  copy_typed(origin, {locate(target, place), place.count, place.type});
}

void MappedPath::get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest*) {
  copy_typed({locate(target, place), place.count, place.type}, result);
}

void MappedPath::accumulate(Target& target, const Accumulate& what, RmaRequest*) {
  const Exclusion exclusion = window_.exclusion(target.control);
  Accumulator accumulator(exclusion, *what.op, *what.element, *what.place.type, what.place.count,
                          locate(target, what.place));
  Operand origin(what.origin, mapped_portion), result(what.result, mapped_portion);
  const std::size_t bytes = what.place.bytes(), size = what.element->size();
  const std::size_t each = origin.has_holes() || result.has_holes() ? mapped_portion / size * size : bytes;
  for (std::size_t at = 0; at < bytes; at += each) {
    const std::size_t now = std::min(each, bytes - at);
    origin.read(now);
    accumulator.apply(at, origin.take(at, now), result.take(at, now));
    result.write(now);
  }
}

void MappedPath::swap(Target& target, const Swap& what) {
  const Exclusion exclusion = window_.exclusion(target.control);
  Accumulator accumulator(exclusion, dtype::op_of(dtype::Operator::replace), *what.place.type, *what.place.type, 1,
                          locate(target, what.place));
  accumulator.compare_and_swap(what.compare, what.origin, what.result);
}

}  // namespace bowline::rma
