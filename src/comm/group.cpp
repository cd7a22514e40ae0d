// SPDX-License-Identifier: BSD-3-Clause
#include "comm/group.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace bowline::comm {

/// The ranks from `start` on are the processes first, first + stride, ...
struct Group::Run {
  int first;
  int stride;
  int start;
  int count;

  int process(int rank) const noexcept { return first + (rank - start) * stride; }
  int rank_of(int process) const noexcept {
    const int way = process - first;
    if (count == 1 || stride == 0) return way == 0 ? start : no_rank;
    if (way % stride != 0) return no_rank;
    const int step = way / stride;
    return step >= 0 && step < count ? start + step : no_rank;
  }
};

struct Group::Members {
  std::vector<Run> runs;
  int size = 0;

  struct RankOfProcess {
    int process;
    int rank;
  };
  // Made at first use, and only for groups of many runs.
  mutable std::once_flag placed, tabled;
  mutable std::vector<RankOfProcess> places;  ///< in ascending order of processes
  mutable std::vector<int> table;             ///< processes by rank

  const Run& run_of(int rank) const noexcept {
    if (runs.size() == 1) return runs.front();
    return *std::prev(std::ranges::upper_bound(runs, rank, {}, &Run::start));
  }
  template <class Use>
  void each(Use use) const {
    for (const Run& run : runs) {
      for (int rank = run.start; rank < run.start + run.count; ++rank) use(rank, run.process(rank));
    }
  }
  void place() const {
    places.reserve(static_cast<std::size_t>(size));
    each([this](int rank, int process) { places.push_back({process, rank}); });
    std::ranges::sort(places, {}, &RankOfProcess::process);
  }
  void tabulate() const {
    table.reserve(static_cast<std::size_t>(size));
    each([this](int, int process) { table.push_back(process); });
  }
};

/// Collects processes into runs, as long ones as possible.
class Group::Builder {
 public:
  void add(int process) { add(process, 1, 1); }
  void add(int first, int stride, int count) {
    if (count == 0) return;
    if (!made_.runs.empty()) {
      Run& last = made_.runs.back();
      if (last.count == 1 && count == 1) last.stride = first - last.first;
      const bool goes_on = first == last.process(made_.size) && (count == 1 || stride == last.stride);
      if (goes_on) {
        last.count += count;
        made_.size += count;
        return;
      }
    }
    made_.runs.push_back({first, stride, made_.size, count});
    made_.size += count;
  }

  Group build(std::shared_ptr<Origin> origin = nullptr) {
    auto members = std::make_shared<Members>();
    made_.runs.shrink_to_fit();
    members->runs = std::move(made_.runs);
    members->size = made_.size;
    return {std::move(members), std::move(origin)};
  }

 private:
  struct {
    std::vector<Run> runs;
    int size = 0;
  } made_;
};

Group::Group(std::shared_ptr<const Members> members, std::shared_ptr<Origin> origin) noexcept
    : members_(std::move(members)), origin_(std::move(origin)) {}

Group Group::from(std::shared_ptr<Origin> origin) const {
  return {members_, std::move(origin)};
}

Group::Group() {
  static const auto nobody = std::make_shared<const Members>();
  members_ = nobody;
}

Group Group::sequence(int first, int stride, int size) {
  Builder builder;
  builder.add(first, stride, size);
  return builder.build();
}

Group Group::of(std::span<const int> processes) {
  Builder builder;
  for (const int process : processes) builder.add(process);
  return builder.build();
}

int Group::size() const noexcept {
  return members_->size;
}

int Group::process(int rank) const noexcept {
  return members_->run_of(rank).process(rank);
}

int Group::rank_of(int process) const {
  constexpr std::size_t few = 4;
  const Members& all = *members_;
  if (all.runs.size() <= few) {
    for (const Run& run : all.runs) {
      if (const int rank = run.rank_of(process); rank != no_rank) return rank;
    }
    return no_rank;
  }
  std::call_once(all.placed, [&] { all.place(); });
  const auto found = std::ranges::lower_bound(all.places, process, {}, &Members::RankOfProcess::process);
  return found != all.places.end() && found->process == process ? found->rank : no_rank;
}

coll::RankMap Group::map() const {
  const Members& all = *members_;
  if (all.runs.empty()) return {};
  if (all.runs.size() == 1) return {.first = all.runs[0].first, .stride = all.runs[0].stride};
  std::call_once(all.tabled, [&] { all.tabulate(); });
  return {.table = all.table.data()};
}

Group Group::including(std::span<const int> ranks) const {
  Builder builder;
  for (const int rank : ranks) builder.add(process(rank));
  return builder.build(origin_);
}

Group Group::including(std::span<const RankRange> ranges) const {
  Builder builder;
  for (const RankRange& range : ranges) {
    const int count = range.count();
    if (count == 1) {
      builder.add(process(range.first));
    } else if (members_->runs.size() == 1) {
      builder.add(process(range.first), members_->runs[0].stride * range.stride, count);
    } else {
      for (int i = 0; i < count; ++i) builder.add(process(range.first + i * range.stride));
    }
  }
  return builder.build(origin_);
}

template <class Accept>
void Group::add_to(Builder& builder, Accept accept) const {
  members_->each([&](int rank, int process) {
    if (accept(rank, process)) builder.add(process);
  });
}

Group Group::without(const std::vector<bool>& marked) const {
  Builder builder;
  add_to(builder, [&](int rank, int) { return !marked[static_cast<std::size_t>(rank)]; });
  return builder.build(origin_);
}

Group Group::unite(const Group& first, const Group& second) {
  Builder builder;
  for (const Run& run : first.members_->runs) builder.add(run.first, run.stride, run.count);
  second.add_to(builder, [&](int, int process) { return !first.contains(process); });
  return builder.build(first.origin_);
}

Group Group::intersect(const Group& first, const Group& second) {
  Builder builder;
  first.add_to(builder, [&](int, int process) { return second.contains(process); });
  return builder.build(first.origin_);
}

Group Group::subtract(const Group& first, const Group& second) {
  Builder builder;
  first.add_to(builder, [&](int, int process) { return !second.contains(process); });
  return builder.build(first.origin_);
}

Likeness Group::compare(const Group& first, const Group& second) {
  if (first.members_ == second.members_) return Likeness::identical;
  if (first.size() != second.size()) return Likeness::different;
  const auto& runs = first.members_->runs;
  const auto& others = second.members_->runs;
  if (runs.size() == 1 && others.size() == 1 && runs[0].first == others[0].first &&
      (first.size() == 1 || runs[0].stride == others[0].stride)) {
    return Likeness::identical;
  }
  bool same_order = true;
  bool same_members = true;
  first.members_->each([&](int rank, int process) {
    if (!same_members) return;
    same_order = same_order && second.process(rank) == process;
    if (!same_order) same_members = second.contains(process);
  });
  if (!same_members) return Likeness::different;
  return same_order ? Likeness::identical : Likeness::similar;
}

std::size_t Group::footprint() const noexcept {
  return sizeof(Members) + members_->runs.capacity() * sizeof(Run);
}

}  // namespace bowline::comm
