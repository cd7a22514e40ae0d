// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/bounds.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "dtype/composition.hpp"
#include "dtype/construction/checked.hpp"
#include "dtype/datatype.hpp"
#include "dtype/padding.hpp"

namespace bowline::dtype {
namespace {

// The code visits layouts by recursion, which limits their depth.
constexpr int deepest = 2000;

constinit Padding rule_of_process = Padding::counts;

/// The minimum and the maximum of a series of values.
struct Extremes {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();

  void include(std::int64_t value) noexcept {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::int64_t rounded_up(std::int64_t extent, std::int64_t unit) {
  const std::int64_t rest = extent % unit;
  return rest == 0 ? extent : checked::add(extent, unit - rest);
}

/// Computes the bounds of a type from its blocks. If the user has set bounds inside the type, only these bounds count;
/// otherwise the extent is rounded up to a multiple of the strictest alignment (MPI-5.0, section 5.1).
class Sum {
 public:
  explicit Sum(Padding padding) noexcept : padding_(padding) {}

  void add(std::int64_t first, std::int64_t length, const Datatype& type) {
    const Bounds& part = type.bounds();
    if (length == 0 || (part.elements == 0 && !part.marked)) return;
    const std::int64_t last = checked::add(first, checked::multiply(length - 1, part.extent()));
    const std::int64_t low = std::min(first, last), high = std::max(first, last);
    if (part.marked) {
      lb_marks_.include(checked::add(low, part.lb));
      ub_marks_.include(checked::add(high, part.ub));
    }
    if (part.elements == 0) return;
    data_.include(checked::add(low, part.true_lb));
    data_.include(checked::add(high, part.true_ub));
    if (!part.marked) ends_.include(checked::add(high, padding_ == Padding::counts ? part.ub : part.true_ub));
  }

  /// Adds the sizes and basic elements of `length` elements.
  void count(std::int64_t length, const Datatype& type) {
    const Bounds& part = type.bounds();
    whole_.depth = std::max(whole_.depth, part.depth + 1);
    if (length == 0 || part.elements == 0) return;
    whole_.alignment = std::max(whole_.alignment, part.alignment);
    whole_.uniform = part.uniform && (whole_.elements == 0 || (whole_.uniform && whole_.element == part.element));
    whole_.element = part.element;
    whole_.size = checked::add(whole_.size, checked::multiply(length, part.size));
    whole_.elements = checked::add(whole_.elements, checked::multiply(length, part.elements));
  }

  Bounds result() {
    if (whole_.elements > 0) {
      whole_.true_lb = data_.low;
      whole_.true_ub = data_.high;
    }
    whole_.marked = lb_marks_.low <= lb_marks_.high;
    whole_.lb = whole_.marked ? lb_marks_.low : whole_.true_lb;
    whole_.ub = whole_.marked ? ub_marks_.high : whole_.elements > 0 ? ends_.high : 0;
    const std::int64_t extent = checked::subtract(whole_.ub, whole_.lb);
    checked::subtract(whole_.true_ub, whole_.true_lb);
    if (!whole_.marked) whole_.ub = checked::add(whole_.lb, rounded_up(extent, whole_.alignment));
    return whole_;
  }

 private:
  Bounds whole_;
  Padding padding_;
  Extremes lb_marks_, ub_marks_, data_, ends_;
};

std::int64_t displacement(const Composition& blocks, std::size_t i) {
  return checked::multiply(blocks.place(i), blocks.unit());
}

}  // namespace

Padding padding_rule() noexcept {
  return rule_of_process;
}
void set_padding_rule(Padding rule) noexcept {
  rule_of_process = rule;
}

Bounds bounds_of(const Composition& composition, Padding padding) {
  Sum sum(padding);
  const std::size_t blocks = composition.size();
  if (blocks > 0 && composition.regular()) {
    const std::int64_t length = composition.length(0);
    const auto last = static_cast<std::int64_t>(blocks - 1);
    const std::int64_t step = blocks > 1 ? displacement(composition, 1) : 0;
    sum.add(0, length, composition.type(0));
    sum.add(checked::multiply(last, step), length, composition.type(0));
    sum.count(checked::multiply(static_cast<std::int64_t>(blocks), length), composition.type(0));
  } else {
    for (std::size_t i = 0; i < blocks; ++i) {
      sum.add(displacement(composition, i), composition.length(i), composition.type(i));
      sum.count(composition.length(i), composition.type(i));
    }
  }
  const Bounds whole = sum.result();
  if (whole.depth > deepest)
    throw Error(ErrorClass::arg, "the datatype is made of datatypes more than 2000 deep: build it in fewer steps");
  return whole;
}

Bounds bounds_of(const Composition& composition) {
  return bounds_of(composition, padding_rule());
}

Bounds resized(Bounds bounds, std::int64_t lb, std::int64_t extent) {
  bounds.lb = lb;
  bounds.ub = checked::add(lb, extent);
  bounds.marked = true;
  ++bounds.depth;
  return bounds;
}

}  // namespace bowline::dtype
