// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/construction/construct.hpp"

#include <utility>

#include "dtype/construction/checked.hpp"
#include "dtype/padding.hpp"

namespace bowline::dtype {
namespace {

/// A type without a handle, to which only other types refer.
TypeRef hidden(Datatype& made) {
  TypeRef ref(made);
  made.drop_handle();
  return ref;
}

/// `count` times `type`, `stride` bytes apart.
TypeRef strided(std::int64_t count, std::int64_t stride, const TypeRef& type) {
  return hidden(compose(
      {.combiner = Combiner::hvector, .large = true, .integers = {}, .addresses = {}, .counts = {count, 1, stride}},
      *type));
}

struct Part {
  std::int64_t displacement;
  TypeRef type;
};

/// The parts as one type of the given extent.
TypeRef joined(std::span<const Part> parts, std::int64_t extent) {
  Envelope envelope{.combiner = Combiner::structure, .large = true, .integers = {}, .addresses = {}, .counts = {}};
  std::vector<TypeRef> types;
  envelope.add_count(static_cast<std::int64_t>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) envelope.add_count(1);
  for (const Part& part : parts) {
    envelope.add_address(part.displacement);
    types.push_back(part.type);
  }
  const TypeRef whole = hidden(compose(std::move(envelope), std::move(types)));
  return hidden(resize({.combiner = Combiner::resized}, *whole, 0, extent));
}

Datatype& array_type(Envelope envelope, const Datatype& type, const TypeRef& inner) {
  return Datatype::make(std::move(envelope), {TypeRef(type)}, inner->bounds(), &*inner);
}

/// Calls `visit` with the number of each dimension, starting with the fastest-varying one.
template <class Visit>
void innermost_first(std::size_t dimensions, Order order, Visit visit) {
  for (std::size_t i = 0; i < dimensions; ++i) visit(order == Order::c ? dimensions - 1 - i : i);
}

}  // namespace

Datatype& compose(Envelope envelope, std::vector<TypeRef> types, Padding padding) {
  const Composition blocks(envelope, types);
  const Bounds bounds = bounds_of(blocks, padding);
  return Datatype::make(std::move(envelope), std::move(types), bounds);
}

Datatype& compose(Envelope envelope, std::vector<TypeRef> types) {
  return compose(std::move(envelope), std::move(types), padding_rule());
}

Datatype& compose(Envelope envelope, const Datatype& type) {
  return compose(std::move(envelope), std::vector<TypeRef>{TypeRef(type)});
}

Datatype& duplicate(const Datatype& type) {
  Datatype& made = Datatype::make({.combiner = Combiner::dup}, {TypeRef(type)}, type.bounds(),
                                  type.same_as() != nullptr ? type.same_as() : &type);
  if (type.committed()) made.commit();
  return made;
}

Datatype& resize(Envelope envelope, const Datatype& type, std::int64_t lb, std::int64_t extent) {
  const Bounds bounds = resized(type.bounds(), lb, extent);
  return Datatype::make(std::move(envelope), {TypeRef(type)}, bounds, &type);
}

Datatype& subarray(Envelope envelope, const Datatype& type, std::span<const Slice> dimensions, Order order) {
  TypeRef inner(type);
  std::int64_t stride = type.extent();
  std::int64_t offset = 0;
  innermost_first(dimensions.size(), order, [&](std::size_t i) {
    const Slice& slice = dimensions[i];
    inner = strided(slice.subsize, stride, inner);
    offset = checked::add(offset, checked::multiply(slice.start, stride));
    stride = checked::multiply(stride, slice.size);
  });
  const Part part{offset, inner};
  return array_type(std::move(envelope), type, joined({&part, 1}, stride));
}

Datatype& darray(Envelope envelope, const Datatype& type, std::span<const Distribution> dimensions, Order order) {
  TypeRef inner(type);
  std::int64_t stride = type.extent();
  innermost_first(dimensions.size(), order, [&](std::size_t i) {
    const Distribution& mine = dimensions[i];
    const std::int64_t turn = checked::multiply(mine.block, mine.processes);
    const std::int64_t first = checked::multiply(mine.block, mine.coordinate);
    const std::int64_t rest = mine.size > first ? mine.size - first : 0;  // from my first element to the end
    const std::int64_t full = rest / turn + (rest % turn >= mine.block ? 1 : 0);
    const std::int64_t partial = rest % turn < mine.block ? rest % turn : 0;
    const auto place = [&](std::int64_t element) { return checked::multiply(element, stride); };
    std::vector<Part> parts;
    if (full > 0) parts.push_back({place(first), strided(full, place(turn), strided(mine.block, stride, inner))});
    if (partial > 0) parts.push_back({place(first + full * turn), strided(partial, stride, inner)});
    stride = checked::multiply(stride, mine.size);
    inner = joined(parts, stride);
  });
  return array_type(std::move(envelope), type, inner);
}

}  // namespace bowline::dtype
