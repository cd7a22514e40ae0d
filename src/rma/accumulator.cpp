// SPDX-License-Identifier: BSD-3-Clause
#include "rma/accumulator.hpp"

#include <fmt/format.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "dtype/cursor.hpp"
#include "dtype/elements.hpp"
#include "dtype/value_index.hpp"
#include "rma/paths/element_atomics.hpp"

namespace bowline::rma {
namespace {

using dtype::Operator;

/// Elements that are not combined where they lie are combined in portions of this many bytes.
constexpr std::size_t portion = 4096;

bool is_aligned(const std::byte* address, const dtype::Datatype& element) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::size_t>(element.bounds().alignment) == 0;
}

/// Reduces `in` into elements that are not aligned, or with such elements.
void reduce_unaligned(const dtype::Op& op, const dtype::Datatype& element, std::span<const std::byte> in,
                      std::byte* target) {
  alignas(64) std::array<std::byte, portion> operand, result;
  const std::size_t each = portion / element.size() * element.size();
  for (std::size_t from = 0; from < in.size(); from += each) {
    const std::size_t bytes = std::min(each, in.size() - from);
    std::memcpy(operand.data(), in.data() + from, bytes);
    std::memcpy(result.data(), target + from, bytes);
    op.apply(operand.data(), result.data(), bytes / element.size(), element);
    std::memcpy(target + from, result.data(), bytes);
  }
}

}  // namespace

void accumulate_run(const Exclusion& exclusion, const dtype::Op& op, const dtype::Datatype& element,
                    std::span<const std::byte> in, std::span<std::byte> old, std::byte* target) {
  if (exclusion.instructions && has_atomics(element.element(), target)) {
    const std::size_t count = (in.empty() ? old : in).size() / element.size();
    return accumulate_atomically(op, element, in.data(), target, old.empty() ? nullptr : old.data(), count);
  }
  const AccumulateLock hold(exclusion.lock, exclusion.mine, *exclusion.holders);
  if (!old.empty()) std::memcpy(old.data(), target, old.size());
  if (op.predefined_as() == Operator::no_op) return;
  if (op.predefined_as() == Operator::replace) {
    std::memcpy(target, in.data(), in.size());
  } else if (is_aligned(target, element) && is_aligned(in.data(), element)) {
    op.apply(in.data(), target, in.size() / element.size(), element);
  } else {
    reduce_unaligned(op, element, in, target);
  }
}

const dtype::Datatype& accumulated(const dtype::Op& op, const dtype::Datatype& type) {
  if (type.predefined() && op.accumulates(type)) [[likely]]
    return type;
  const dtype::Datatype* const element = dtype::uniform_element(type);
  if (element == nullptr) {
    throw Error(
        ErrorClass::type,
        fmt::format("the datatype {} consists of several predefined datatypes, but an accumulate needs one that "
                    "consists of a single one (MPI-5.0, section 12.3.4)",
                    type.description()));
  }
  if (!op.accumulates(*element) && !op.locates(*element)) {
    throw Error(ErrorClass::op, fmt::format("op is {}, which is not defined on the datatype {}: it reduces {}; "
                                            "MPI_REPLACE and MPI_NO_OP are defined on all",
                                            op.name(), element->description(), op.domain()));
  }
  return *element;
}

void Accumulator::apply(std::size_t at, std::span<const std::byte> in, std::span<std::byte> old) {
  const Part part{at, in, old};
  if (part.bytes() == 0) return;
  const bool dense = element_.contiguous() && element_.origin() == 0;
  if (type_.contiguous() && dense) return apply_run(part, base_ + type_.origin() + at);
  if (dense) return apply_pieces(part);
  const AccumulateLock hold(exclusion_.lock, exclusion_.mine, *exclusion_.holders);
  combine_scattered(part);
}

/// Applies runs of elements that have holes between them.
void Accumulator::apply_pieces(const Part& part) {
  dtype::Cursor cursor(type_, count_, base_);
  cursor.seek(part.at);
  std::array<iovec, 16> pieces;
  std::size_t done = 0;
  while (done < part.bytes()) {
    const std::size_t found = cursor.next_iovec(pieces);
    for (std::size_t i = 0; i < found && done < part.bytes(); ++i) {
      const std::size_t bytes = std::min(pieces[i].iov_len, part.bytes() - done);
      apply_run({0, part.in.empty() ? part.in : part.in.subspan(done, bytes),
                 part.old.empty() ? part.old : part.old.subspan(done, bytes)},
                static_cast<std::byte*>(pieces[i].iov_base));
      done += bytes;
    }
  }
}

/// Combines elements that have holes themselves: pairs of a value and an index. The operators take the pairs as they
/// lie in memory, with their padding.
void Accumulator::combine_scattered(const Part& part) {
  alignas(64) std::array<std::byte, portion> stream, in, inout;
  const auto extent = static_cast<std::size_t>(element_.extent());
  const std::size_t each = element_.size(), most = portion / extent, count = part.bytes() / each;
  const Operator op = op_.predefined_as();
  dtype::Cursor reader(type_, count_, base_), writer(type_, count_, base_);
  reader.seek(part.at);
  writer.seek(part.at);
  for (std::size_t i = 0; i < count; i += most) {
    const std::size_t now = std::min(most, count - i), from = i * each, bytes = now * each;
    reader.pack({stream.data(), bytes});
    if (!part.old.empty()) std::memcpy(part.old.data() + from, stream.data(), bytes);
    if (op == Operator::no_op) continue;
    if (op == Operator::replace) {
      writer.unpack(part.in.subspan(from, bytes));
      continue;
    }
    dtype::unpack(element_, part.in.data() + from, bytes, in.data());
    dtype::unpack(element_, stream.data(), bytes, inout.data());
    op_.apply(in.data(), inout.data(), now, element_);
    dtype::pack(element_, now, inout.data(), stream.data());
    writer.unpack({stream.data(), bytes});
  }
}

void Accumulator::compare_and_swap(const std::byte* compare, const std::byte* swap, std::byte* old) {
  std::byte* const target = base_ + type_.origin();
  if (exclusion_.instructions && has_atomics(element_.element(), target))
    return swap_atomically(element_.element(), compare, swap, target, old);
  const AccumulateLock hold(exclusion_.lock, exclusion_.mine, *exclusion_.holders);
  std::memcpy(old, target, element_.size());
  if (std::memcmp(old, compare, element_.size()) == 0) std::memcpy(target, swap, element_.size());
}

}  // namespace bowline::rma
