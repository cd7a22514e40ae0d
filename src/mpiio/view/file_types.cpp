// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/view/file_types.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "dtype/construction/remake.hpp"
#include "dtype/elements.hpp"
#include "dtype/envelope.hpp"
#include "dtype/predefined.hpp"

namespace bowline::mpiio {
namespace {

using dtype::Combiner;
using dtype::Datatype;
using dtype::TypeRef;

TypeRef owned(Datatype& type) {
  TypeRef ref(type);
  type.drop_handle();
  return ref;
}

/// One basic element of this size. The type's bounds are set, so that no struct aligns it. Each such type is made once
/// and lives until the process ends, as predefined types do.
TypeRef basic_of(dtype::Element element, std::size_t bytes) {
  struct Basics {
    std::mutex mutex;
    std::map<std::pair<dtype::Element, std::size_t>, TypeRef> made;
  };
  static auto& basics = *new Basics;
  const std::lock_guard hold(basics.mutex);
  TypeRef& type = basics.made[{element, bytes}];
  if (!type) {
    const auto& basic = *new Datatype("", element, {{0, bytes}}, bytes);
    dtype::Envelope bounds{.combiner = Combiner::resized, .large = true};
    bounds.counts = {0, static_cast<std::int64_t>(bytes)};
    type = owned(dtype::resize(std::move(bounds), basic, 0, static_cast<std::int64_t>(bytes)));
  }
  return type;
}

/// A value and its index, one after the other.
TypeRef pair_of(const TypeRef& value, const TypeRef& index) {
  dtype::Envelope both{.combiner = Combiner::structure, .large = true};
  both.counts = {2, 1, 1, 0, static_cast<std::int64_t>(value->size())};
  return owned(dtype::compose(std::move(both), {value, index}));
}

class Translation {
 public:
  explicit Translation(const FileSize& size_of) : size_of_(size_of) {}

  TypeRef of(const Datatype& type) {
    TypeRef& known = known_[&type];
    if (!known) known = translated(type);
    return known;
  }

 private:
  TypeRef translated(const Datatype& type) {
    if (type.predefined()) return basic_of(type.element(), size_of_(type));
    std::vector<TypeRef> types;
    for (const TypeRef& inner : type.types()) types.push_back(of(*inner));
    if (type.envelope().combiner == Combiner::value_index) return pair_of(types[0], types[1]);
    return owned(dtype::remake(type.envelope(), std::move(types)));
  }

  const FileSize& size_of_;
  std::map<const Datatype*, TypeRef> known_;
};

}  // namespace

TypeRef with_file_sizes(const Datatype& type, const FileSize& size_of) {
  TypeRef made = Translation(size_of).of(type);
  const_cast<Datatype&>(*made).commit();  // no other thread has the type, or it is committed already
  return made;
}

std::size_t memory_bytes(const Datatype& type, const Datatype& file_type, std::size_t file_bytes) {
  if (file_type.size() == 0) return 0;
  for (std::size_t bytes = file_bytes; bytes > 0; --bytes) {
    const auto elements = dtype::elements_in(file_type, bytes);
    if (!elements) continue;
    return static_cast<std::size_t>(dtype::bytes_of(type, *elements).value_or(0));
  }
  return 0;
}

}  // namespace bowline::mpiio
