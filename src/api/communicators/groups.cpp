// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.3: groups.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/entry/group_handles.hpp"
#include "api/entry/handle_table.hpp"
#include "api/entry/this_process.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {
namespace {

HandleTable<comm::Group>& groups() {
  static auto* const table = new HandleTable<comm::Group>;  // not destroyed by exit(), as MPI may still be in use
  return *table;
}

std::string members_text(const comm::Group& group) {
  if (group.size() == 0) return "the group has no members";
  return fmt::format("the group has the ranks 0 to {}", group.size() - 1);
}

/// Marks ranks of a group. Throws Error (rank) for a rank that is not in the group, or that is marked already.
class Marks {
 public:
  explicit Marks(const comm::Group& group) : group_(group), marked_(static_cast<std::size_t>(group.size())) {}

  void mark(int rank, const std::string& name) {
    if (rank < 0 || rank >= group_.size()) {
      throw Error(ErrorClass::rank, fmt::format("{} is {}, but {}", name, rank, members_text(group_)));
    }
    if (marked_[static_cast<std::size_t>(rank)]) {
      throw Error(ErrorClass::rank, fmt::format("{} is {}, which was named before: name each rank once", name, rank));
    }
    marked_[static_cast<std::size_t>(rank)] = true;
  }
  const std::vector<bool>& marked() const noexcept { return marked_; }

 private:
  const comm::Group& group_;
  std::vector<bool> marked_;
};

std::span<const int> list(int n, const int* ranks) {
  check::array(ranks, n, "ranks");
  return {ranks, static_cast<std::size_t>(n)};
}

Marks marks_of(const comm::Group& group, std::span<const int> ranks) {
  Marks marks(group);
  for (std::size_t i = 0; i < ranks.size(); ++i) marks.mark(ranks[i], fmt::format("ranks[{}]", i));
  return marks;
}

std::vector<comm::RankRange> read_ranges(int n, int (*ranges)[3]) {
  check::array(ranges, n, "ranges");
  std::vector<comm::RankRange> result;
  for (int i = 0; i < n; ++i) {
    const comm::RankRange range{ranges[i][0], ranges[i][1], ranges[i][2]};
    if (range.stride == 0) {
      throw Error(ErrorClass::arg, fmt::format("ranges[{}] has the stride 0: give one that leads from {} to {}", i,
                                               range.first, range.last));
    }
    result.push_back(range);
  }
  return result;
}

/// Checks the first and the last rank of a range. The check comes before the marks are made, and suffices for a single
/// range.
void check_ends(const comm::Group& group, const comm::RankRange& range, std::size_t i) {
  const int count = range.count();
  if (count == 0) {
    throw Error(ErrorClass::arg, fmt::format("ranges[{}] goes from {} to {} by {}, which leads away from its end", i,
                                             range.first, range.last, range.stride));
  }
  for (const int rank : {range.first, range.first + (count - 1) * range.stride}) {
    if (rank < 0 || rank >= group.size()) {
      throw Error(ErrorClass::rank, fmt::format("ranges[{}] names rank {}, but {}", i, rank, members_text(group)));
    }
  }
}

Marks marks_of(const comm::Group& group, const std::vector<comm::RankRange>& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) check_ends(group, ranges[i], i);
  Marks marks(group);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const std::string name = fmt::format("a rank of ranges[{}]", i);
    for (int k = 0; k < ranges[i].count(); ++k) marks.mark(ranges[i].first + k * ranges[i].stride, name);
  }
  return marks;
}

int group_result(comm::Likeness likeness) noexcept {
  switch (likeness) {
    case comm::Likeness::identical:
      return MPI_IDENT;
    case comm::Likeness::similar:
      return MPI_SIMILAR;
    case comm::Likeness::different:
      return MPI_UNEQUAL;
  }
  return MPI_UNEQUAL;
}

}  // namespace

const comm::Group* find_group(MPI_Group handle) noexcept {
  static const comm::Group empty;
  if (handle == MPI_GROUP_EMPTY) return &empty;
  return groups().find(handle).get();  // the table keeps the group until the user frees it
}

MPI_Group group_handle(comm::Group group) {
  if (group.size() == 0) return MPI_GROUP_EMPTY;
  return groups().add<MPI_Group>(std::make_shared<comm::Group>(std::move(group)));
}

void comm_group(comm::Communicator& comm, MPI_Group* group) {
  *group = group_handle(comm.group());
}

void group_size(const comm::Group& group, int* size) {
  *size = group.size();
}

void group_rank(const comm::Group& group, int* rank) {
  const int found = group.rank_of(this_process().self().process(0));
  *rank = found == comm::Group::no_rank ? MPI_UNDEFINED : found;
}

void group_translate_ranks(const comm::Group& group1, int n, const int ranks1[], const comm::Group& group2,
                           int ranks2[]) {
  check::array(ranks1, n, "ranks1");
  check::array(ranks2, n, "ranks2");
  for (int i = 0; i < n; ++i) {
    const int rank = ranks1[i];
    if (rank == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    if (rank < 0 || rank >= group1.size()) {
      throw Error(ErrorClass::rank, fmt::format("ranks1[{}] is {}, but {}", i, rank, members_text(group1)));
    }
    const int found = group2.rank_of(group1.process(rank));
    ranks2[i] = found == comm::Group::no_rank ? MPI_UNDEFINED : found;
  }
}

void group_compare(const comm::Group& group1, const comm::Group& group2, int* result) {
  *result = group_result(comm::Group::compare(group1, group2));
}

void group_union(const comm::Group& group1, const comm::Group& group2, MPI_Group* newgroup) {
  *newgroup = group_handle(comm::Group::unite(group1, group2));
}

void group_intersection(const comm::Group& group1, const comm::Group& group2, MPI_Group* newgroup) {
  *newgroup = group_handle(comm::Group::intersect(group1, group2));
}

void group_difference(const comm::Group& group1, const comm::Group& group2, MPI_Group* newgroup) {
  *newgroup = group_handle(comm::Group::subtract(group1, group2));
}

void group_incl(const comm::Group& group, int n, const int ranks[], MPI_Group* newgroup) {
  const std::span<const int> included = list(n, ranks);
  marks_of(group, included);
  *newgroup = group_handle(group.including(included));
}

void group_excl(const comm::Group& group, int n, const int ranks[], MPI_Group* newgroup) {
  *newgroup = group_handle(n == 0 ? group : group.without(marks_of(group, list(n, ranks)).marked()));
}

void group_range_incl(const comm::Group& group, int n, int ranges[][3], MPI_Group* newgroup) {
  const std::vector<comm::RankRange> included = read_ranges(n, ranges);
  if (n == 1) {
    check_ends(group, included[0], 0);
  } else {
    marks_of(group, included);
  }
  *newgroup = group_handle(group.including(included));
}

void group_range_excl(const comm::Group& group, int n, int ranges[][3], MPI_Group* newgroup) {
  *newgroup = group_handle(n == 0 ? group : group.without(marks_of(group, read_ranges(n, ranges)).marked()));
}

// MPI_GROUP_EMPTY may be freed, because programs free every group that a call has returned.
void group_free(MPI_Group* group) {
  if (*group != MPI_GROUP_EMPTY && !groups().remove(*group)) check::refuse::group(*group, "group");
  *group = MPI_GROUP_NULL;
}

}  // namespace bowline::api
