// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes, each beside a slow and obvious description of itself: the place of every byte of its data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "support/owned_type.hpp"

namespace bowline::dtype {

/// What a type should be.
struct Model {
  std::vector<std::ptrdiff_t> bytes;  ///< place of each byte of data, in order
  std::vector<std::size_t> elements;  ///< size of each basic element, in order
  std::int64_t lb = 0, ub = 0;
  bool marked = false;  ///< the bounds were set by resizing
  std::int64_t alignment = 1;

  std::int64_t extent() const { return ub - lb; }
};

struct Sample {
  TypeRef type;
  Model model;
};

/// Makes types of types, and notes how.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::string text;  ///< how the last one was made

  Sample make(int depth) {
    if (depth == 0 || chance(6)) return basic();
    switch (upto(8)) {
      case 0:
        return contiguous(depth);
      case 1:
        return vector(depth, false);
      case 2:
        return vector(depth, true);
      case 3:
        return indexed(depth, false);
      case 4:
        return indexed(depth, true);
      case 5:
        return structure(depth);
      case 6:
        return slices(depth);
      case 7:
        return resized(depth);
      default:
        return duplicated(depth);
    }
  }

  std::int64_t upto(std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random_); }
  std::int64_t between(std::int64_t least, std::int64_t most) { return least + upto(most - least); }
  bool chance(std::int64_t in) { return upto(in - 1) == 0; }

 private:
  struct Part {
    std::int64_t displacement;
    std::int64_t length;
    const Model* model;
  };

  static Model compose(const std::vector<Part>& parts) {
    Model whole;
    std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = std::numeric_limits<std::int64_t>::min();
    std::int64_t end = high;  // of parts that are not marked, with their padding
    for (const Part& part : parts) {
      for (std::int64_t i = 0; i < part.length; ++i) {
        const Model& model = *part.model;
        const std::int64_t at = part.displacement + i * model.extent();
        for (const std::ptrdiff_t place : model.bytes) whole.bytes.push_back(at + place);
        whole.elements.insert(whole.elements.end(), model.elements.begin(), model.elements.end());
        if (!model.bytes.empty()) whole.alignment = std::max(whole.alignment, model.alignment);
        if (!model.marked && !model.bytes.empty()) end = std::max(end, at + model.ub);
        if (!model.marked) continue;
        low = std::min(low, at + model.lb);
        high = std::max(high, at + model.ub);
        whole.marked = true;
      }
    }
    if (whole.marked) {
      whole.lb = low, whole.ub = high;
    } else if (!whole.bytes.empty()) {
      whole.lb = std::ranges::min(whole.bytes), whole.ub = end;
      while (whole.extent() % whole.alignment != 0) ++whole.ub;
    }
    return whole;
  }

  Envelope envelope(Combiner combiner) {
    Envelope made;
    made.combiner = combiner;
    made.large = chance(2);
    return made;
  }

  Sample basic() {
    struct Basic {
      std::uintptr_t handle;
      std::int64_t alignment;
      std::vector<std::size_t> elements;
    };
    // MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_DOUBLE_INT, MPI_SHORT_INT
    static const std::vector<Basic> basics = {{0x243, 1, {1}},   {0x208, 2, {2}},    {0x209, 4, {4}},   {0x214, 8, {8}},
                                              {0x220, 16, {16}}, {0x229, 8, {8, 4}}, {0x22c, 4, {2, 4}}};
    const Basic& chosen = basics[static_cast<std::size_t>(upto(static_cast<std::int64_t>(basics.size()) - 1))];
    const Datatype& type = *predefined_datatype(chosen.handle);
    text += type.name();
    Model model;
    for (const Block& block : type.blocks()) {
      for (std::size_t i = 0; i < block.length; ++i)
        model.bytes.push_back(block.offset + static_cast<std::ptrdiff_t>(i));
    }
    model.elements = chosen.elements;
    model.ub = type.extent();
    model.alignment = chosen.alignment;
    return {TypeRef(type), model};
  }

  Sample contiguous(int depth) {
    const std::int64_t count = upto(4);
    text += "contiguous(" + std::to_string(count) + ", ";
    const Sample old = make(depth - 1);
    text += ")";
    Envelope given = envelope(Combiner::contiguous);
    given.add_count(count);
    return {test::owned(dtype::compose(given, *old.type)), compose({{0, count, &old.model}})};
  }

  Sample vector(int depth, bool in_bytes) {
    const std::int64_t count = upto(5), length = upto(3), stride = in_bytes ? between(-40, 60) : between(-3, 6);
    text += std::string(in_bytes ? "h" : "") + "vector(" + std::to_string(count) + ", " + std::to_string(length) +
            ", " + std::to_string(stride) + ", ";
    const Sample old = make(depth - 1);
    text += ")";
    Envelope given = envelope(in_bytes ? Combiner::hvector : Combiner::vector);
    given.add_count(count);
    given.add_count(length);
    in_bytes ? given.add_address(stride) : given.add_count(stride);
    std::vector<Part> parts;
    const std::int64_t unit = in_bytes ? 1 : old.model.extent();
    for (std::int64_t i = 0; i < count; ++i) parts.push_back({i * stride * unit, length, &old.model});
    return {test::owned(dtype::compose(given, *old.type)), compose(parts)};
  }

  Sample indexed(int depth, bool in_bytes) {
    const std::int64_t count = upto(6);
    const bool blocks = chance(2);
    const std::int64_t length = upto(3);
    std::vector<std::int64_t> lengths, places;
    for (std::int64_t i = 0, next = upto(5); i < count; ++i) {
      lengths.push_back(blocks ? length : upto(3));
      places.push_back(chance(4) ? (in_bytes ? between(-50, 100) : between(-4, 12)) : next);
      next = places.back() + (chance(2) ? lengths.back() : upto(4)) * (in_bytes ? 8 : 1);
    }
    text += std::string(in_bytes ? "h" : "") + (blocks ? "indexed_block(" : "indexed(");
    for (std::size_t i = 0; i < lengths.size(); ++i)
      text += std::to_string(lengths[i]) + "@" + std::to_string(places[i]) + " ";
    const Sample old = make(depth - 1);
    text += ")";
    const Combiner combiner = in_bytes ? (blocks ? Combiner::hindexed_block : Combiner::hindexed)
                                       : (blocks ? Combiner::indexed_block : Combiner::indexed);
    Envelope given = envelope(combiner);
    given.add_count(count);
    if (blocks) {
      given.add_count(length);
    } else {
      for (const std::int64_t value : lengths) given.add_count(value);
    }
    for (const std::int64_t value : places) in_bytes ? given.add_address(value) : given.add_count(value);
    std::vector<Part> parts;
    const std::int64_t unit = in_bytes ? 1 : old.model.extent();
    for (std::size_t i = 0; i < places.size(); ++i) parts.push_back({places[i] * unit, lengths[i], &old.model});
    return {test::owned(dtype::compose(given, *old.type)), compose(parts)};
  }

  Sample structure(int depth) {
    const std::int64_t count = upto(5);
    Envelope given = envelope(Combiner::structure);
    given.add_count(count);
    std::vector<Sample> fields;
    std::vector<std::int64_t> lengths, places;
    text += "struct(";
    for (std::int64_t i = 0; i < count; ++i) {
      lengths.push_back(upto(3));
      places.push_back(chance(3) ? between(-60, 100) : i * 24);
      text += std::to_string(lengths.back()) + "@" + std::to_string(places.back()) + " ";
      fields.push_back(i > 0 && chance(3) ? fields.back() : make(depth - 1));
      text += "; ";
    }
    text += ")";
    std::vector<Part> parts;
    std::vector<TypeRef> types;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      parts.push_back({places[i], lengths[i], &fields[i].model});
      types.push_back(fields[i].type);
    }
    for (const std::int64_t value : lengths) given.add_count(value);
    for (const std::int64_t value : places) given.add_address(value);
    return {test::owned(dtype::compose(given, types)), compose(parts)};
  }

  Sample slices(int depth) {
    std::vector<Slice> dimensions;
    text += "subarray(";
    for (std::int64_t i = 0, n = between(1, 3); i < n; ++i) {
      const std::int64_t size = between(1, 4), subsize = between(1, size), start = upto(size - subsize);
      dimensions.push_back({size, subsize, start});
      text += std::to_string(start) + "+" + std::to_string(subsize) + "/" + std::to_string(size) + " ";
    }
    const Order order = chance(2) ? Order::c : Order::fortran;
    const Sample old = make(depth - 1);
    text += order == Order::c ? " C)" : " F)";
    // Every element of the array in the order of memory; those inside count.
    std::vector<Slice> slowest_first = dimensions;
    if (order == Order::fortran) std::ranges::reverse(slowest_first);
    std::vector<Part> parts;
    std::int64_t total = 1;
    for (const Slice& slice : slowest_first) total *= slice.size;
    for (std::int64_t i = 0; i < total; ++i) {
      bool inside = true;
      std::int64_t rest = i;
      for (auto slice = slowest_first.rbegin(); slice != slowest_first.rend(); ++slice) {
        const std::int64_t index = rest % slice->size;
        rest /= slice->size;
        inside = inside && index >= slice->start && index < slice->start + slice->subsize;
      }
      if (inside) parts.push_back({i * old.model.extent(), 1, &old.model});
    }
    Model model = compose(parts);
    model.lb = 0;
    model.ub = total * old.model.extent();
    model.marked = true;
    Envelope given = envelope(Combiner::subarray);
    given.add_integer(static_cast<std::int64_t>(dimensions.size()));
    for (const Slice& slice : dimensions) given.add_count(slice.size);
    for (const Slice& slice : dimensions) given.add_count(slice.subsize);
    for (const Slice& slice : dimensions) given.add_count(slice.start);
    given.add_integer(order == Order::c ? 12 : 13);  // MPI_ORDER_C, MPI_ORDER_FORTRAN
    return {test::owned(subarray(std::move(given), *old.type, dimensions, order)), model};
  }

  Sample resized(int depth) {
    const std::int64_t lb = between(-20, 20), extent = chance(6) ? between(-40, 0) : between(0, 80);
    text += "resized(" + std::to_string(lb) + ", " + std::to_string(extent) + ", ";
    Sample old = make(depth - 1);
    text += ")";
    Envelope given = envelope(Combiner::resized);
    given.add_address(lb);
    given.add_address(extent);
    old.model.lb = lb;
    old.model.ub = lb + extent;
    old.model.marked = true;
    return {test::owned(resize(given, *old.type, lb, extent)), old.model};
  }

  Sample duplicated(int depth) {
    text += "dup(";
    Sample old = make(depth - 1);
    text += ")";
    return {test::owned(duplicate(*old.type)), old.model};
  }

  std::mt19937_64 random_;
};

}  // namespace bowline::dtype
