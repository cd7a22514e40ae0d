// SPDX-License-Identifier: BSD-3-Clause
#include "coll/machine/hierarchy.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace bowline::coll {
namespace {

constexpr std::array<std::string_view, levels> level_names = {"cache", "socket", "node", "switch", "group", "system"};

/// Numbers the unit of every part in the order of first appearance; returns the number of units.
int number_units(int parts, const Numbering& unit_of, std::vector<int>& units) {
  std::unordered_map<int, int> numbers;
  units.reserve(static_cast<std::size_t>(parts));
  for (int part = 0; part < parts; ++part) {
    units.push_back(numbers.try_emplace(unit_of(part), static_cast<int>(numbers.size())).first->second);
  }
  return static_cast<int>(numbers.size());
}

/// Whether the unit of every part is known.
bool known(int parts, const Numbering& unit_of) {
  for (int part = 0; part < parts; ++part) {
    if (unit_of(part) < 0) return false;
  }
  return true;
}

}  // namespace

std::string_view name_of(Level level) noexcept {
  return level_names[static_cast<std::size_t>(level)];
}

Grouping::Grouping(Level level, int parts, int stride, const Numbering& unit_of, const Numbering& member_of)
    : level_(level), parts_(parts), stride_(stride) {
  std::vector<int> units;
  units_ = number_units(parts, unit_of, units);
  contiguous_ = std::ranges::is_sorted(units);
  span_ = static_cast<int>(std::ranges::find_if(units, [](int unit) { return unit != 0; }) - units.begin());
  const auto all = [&](auto rule) {
    for (int part = 0; part < parts; ++part) {
      if (units[static_cast<std::size_t>(part)] != rule(part)) return false;
    }
    return true;
  };
  if (stride != 0 && all([this](int part) { return part / span_; })) {
    rule_ = Rule::blocks;
  } else if (stride != 0 && all([this](int part) { return part % units_; })) {
    rule_ = Rule::cycle;
  } else {
    make_table(units, member_of);
  }
}

void Grouping::make_table(const std::vector<int>& unit_of, const Numbering& member_of) {
  table_ = unit_of;
  table_.resize(3 * unit_of.size() + static_cast<std::size_t>(units_) + 1);
  int* const index = table_.data() + parts_;
  int* const first = index + parts_;
  int* const begin = first + parts_;
  for (int part = 0; part < parts_; ++part) {
    int& count = begin[unit_of[static_cast<std::size_t>(part)] + 1];
    index[part] = count++;
  }
  for (int unit = 0; unit < units_; ++unit) begin[unit + 1] += begin[unit];
  for (int part = 0; part < parts_; ++part) {
    first[begin[unit_of[static_cast<std::size_t>(part)]] + index[part]] = member_of(part);
  }
}

int Grouping::unit(int part) const noexcept {
  switch (rule_) {
    case Rule::blocks:
      return part / span_;
    case Rule::cycle:
      return part % units_;
    default:
      return units_of_parts()[part];
  }
}

int Grouping::index(int part) const noexcept {
  switch (rule_) {
    case Rule::blocks:
      return part % span_;
    case Rule::cycle:
      return part / units_;
    default:
      return indices()[part];
  }
}

Members Grouping::members(int unit) const noexcept {
  switch (rule_) {
    case Rule::blocks:
      return {.count = std::min(span_, parts_ - unit * span_), .first = unit * span_ * stride_, .stride = stride_};
    case Rule::cycle:
      return {.count = (parts_ - unit - 1) / units_ + 1, .first = unit * stride_, .stride = units_ * stride_};
    default:
      return {.count = begins()[unit + 1] - begins()[unit], .table = first_members() + begins()[unit]};
  }
}

int Grouping::unit_stride() const noexcept {
  switch (rule_) {
    case Rule::blocks:
      return span_ * stride_;
    case Rule::cycle:
      return stride_;
    default:
      return 0;
  }
}

Hierarchy::Hierarchy(const Machine& machine, int size, const Numbering& world) {
  int parts = size;
  int stride = 1;
  Numbering member_of = [](int member) { return member; };
  for (int number = 0; number < levels; ++number) {
    const auto level = static_cast<Level>(number);
    const bool last = level == Level::system;
    const Numbering unit_of = [&](int part) { return last ? 0 : machine.unit(level, world(member_of(part))); };
    if (!known(parts, unit_of)) continue;
    Grouping grouping(level, parts, stride, unit_of, member_of);
    if (grouping.units() == parts && parts > 1) continue;  // no two members share a unit of this level
    parts = grouping.units();
    stride = grouping.unit_stride();
    std::vector<int> firsts;
    for (int unit = 0; stride == 0 && unit < parts; ++unit) firsts.push_back(grouping.members(unit)[0]);
    if (stride == 0) {
      member_of = [firsts = std::move(firsts)](int part) { return firsts[static_cast<std::size_t>(part)]; };
    } else {
      member_of = [stride](int part) { return part * stride; };
    }
    groupings_.push_back(std::move(grouping));
    if (parts == 1) break;
  }
}

Stage Hierarchy::stage(int stage, int member, int root) const noexcept {
  int mine = member;  // the part of the stage's units that holds the member, and the one that holds the root
  int roots = root;
  bool first = true;  // whether the member is the first of its part
  for (int below = 0; below < stage; ++below) {
    const Grouping& grouping = at(below);
    first = first && grouping.index(mine) == 0;
    mine = grouping.unit(mine);
    roots = grouping.unit(roots);
  }
  const Grouping& grouping = at(stage);
  const int unit = grouping.unit(mine);
  Stage seen{.members = grouping.members(unit)};
  if (mine == roots ? member == root : first) seen.rank = grouping.index(mine);
  if (grouping.unit(roots) == unit) {
    seen.top = grouping.index(roots);
    seen.members.replace(seen.top, root);
  }
  return seen;
}

bool Hierarchy::contiguous() const noexcept {
  return std::ranges::all_of(groupings_, &Grouping::contiguous);
}

int Hierarchy::uniform_stages() const noexcept {
  const auto uneven = std::ranges::find(groupings_, 0, &Grouping::each);
  return std::min(static_cast<int>(uneven - groupings_.begin()), stages() - 1);
}

Stage Hierarchy::rest(int stage, int member, int root) const noexcept {
  const Grouping& grouping = at(stage);
  const int each = grouping.stride();
  Stage seen{.members = {.count = grouping.parts(), .first = 0, .stride = each}, .top = root / each};
  seen.members.replace(seen.top, root);
  const int mine = member / each;
  if (seen.members[mine] == member) seen.rank = mine;
  return seen;
}

std::size_t Hierarchy::memory() const noexcept {
  std::size_t bytes = 0;
  for (const Grouping& grouping : groupings_) bytes += grouping.memory();
  return bytes;
}

const Hierarchy::Fixed* Hierarchy::fixed(Operation operation, Level level) const noexcept {
  const auto found = std::ranges::find_if(
      fixed_, [&](const Fixed& fixed) { return fixed.operation == operation && fixed.level == level; });
  return found == fixed_.end() ? nullptr : &*found;
}

}  // namespace bowline::coll
