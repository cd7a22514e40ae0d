// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation that combines data, on any communicator, against what sends, receives and MPI_Reduce_local
// do.
#pragma once

#include "coll_data.hpp"

namespace coll {

// What is combined, and how: `extent` bytes from one element to the next.
struct Combination {
  MPI_Datatype type;
  std::size_t extent;
  MPI_Op op;
};

// The operands of those whose contributions this process needs: of its group, or of the other.
inline std::vector<Memory> collect(const Sides& sides, const Layout& layout, Memory& mine, int count, MPI_Comm comm) {
  std::vector<Memory> all;
  std::vector<Part> sends, receives;
  for (int i = 0; i < sides.peers; ++i) all.emplace_back(layout, count, 0, 0);
  for (int i = 0; i < sides.peers; ++i) {
    sends.push_back({i, mine.at(0), count * static_cast<int>(layout.extent), MPI_BYTE});
    receives.push_back({i, all[static_cast<std::size_t>(i)].at(0), count * static_cast<int>(layout.extent), MPI_BYTE});
  }
  exchange(comm, sends, receives);
  return all;
}

// Sets elements [first, first + count) of `result` to the combination of those of the first `members`.
inline void combine(std::vector<Memory>& all, int members, const Combination& how, int first, int count, void* result) {
  std::vector<void*> operands;
  for (int i = 0; i < members; ++i) operands.push_back(all[static_cast<std::size_t>(i)].at(first));
  if (members > 0 && count > 0)
    fold(operands, count, how.type, how.op, result, static_cast<std::size_t>(count) * how.extent);
}

struct Operands {
  Operands(const Sides& sides, const Case& c, const Combination& how, int count)
      : layout{"", how.type, how.extent, false},
        mine(layout, count, check::rank, c.salt),
        all(collect(sides, layout, mine, count, sides.comm)),
        expected(c.in_place && !sides.inter ? mine : Memory(layout, count, check::rank, c.salt + 1)),
        actual(expected) {}
  Layout layout;
  Memory mine;
  std::vector<Memory> all;
  Memory expected, actual;
};

inline void reduce(const Sides& sides, const Case& c, const Combination& how) {
  const Root root = root_of(sides, c.root, c.root_in_my_group);
  Operands o(sides, c, how, c.count);
  const bool in_place = c.in_place && root.here && !sides.inter;
  if (root.here) combine(o.all, sides.peers, how, 0, c.count, o.expected.at(0));
  const void* const sendbuf = in_place ? MPI_IN_PLACE : o.mine.at(0);
  void* const recvbuf = root.here ? o.actual.at(0) : nullptr;
  call(c.form, c.large, FORMS(Reduce, reduce), sendbuf, recvbuf, c.count, how.type, how.op, root.argument, sides.comm);
  CHECK(o.actual == o.expected);
}

inline void allreduce(const Sides& sides, const Case& c, const Combination& how) {
  Operands o(sides, c, how, c.count);
  combine(o.all, sides.peers, how, 0, c.count, o.expected.at(0));
  const void* const sendbuf = c.in_place && !sides.inter ? MPI_IN_PLACE : o.mine.at(0);
  call(c.form, c.large, FORMS(Allreduce, allreduce), sendbuf, o.actual.at(0), c.count, how.type, how.op, sides.comm);
  CHECK(o.actual == o.expected);
}

// The part of a buffer that is defined after a reduction whose result is scattered: in place the rest is not.
inline bool same_beginning(Operands& o, int count) {
  return std::memcmp(o.actual.at(0), o.expected.at(0), static_cast<std::size_t>(count) * o.layout.extent) == 0;
}

// On an intercommunicator both groups have the same number of elements in all.
inline void reduce_scatter_block(const Sides& sides, const Case& c, const Combination& how) {
  const int each = sides.inter ? c.count * sides.peers : c.count;
  Operands o(sides, c, how, each * sides.size);
  combine(o.all, sides.peers, how, each * sides.rank, each, o.expected.at(0));
  const void* const sendbuf = c.in_place && !sides.inter ? MPI_IN_PLACE : o.mine.at(0);
  call(c.form, c.large, FORMS(Reduce_scatter_block, reduce_scatter_block), sendbuf, o.actual.at(0), each, how.type,
       how.op, sides.comm);
  CHECK(same_beginning(o, each));
}

inline void reduce_scatter(const Sides& sides, const Case& c, const Combination& how) {
  Counts counts;
  int first = 0;
  const int all = sides.inter ? c.count * 10 : -1;
  int left = all;
  for (int i = 0; i < sides.size; ++i) {
    int count = c.length(i, 2);
    if (sides.inter) count = i + 1 == sides.size ? left : std::min(left, count);
    left -= count;
    counts.push(count);
    if (i < sides.rank) first += count;
  }
  int total = 0;
  for (int i = 0; i < sides.size; ++i) total += counts[i];
  Operands o(sides, c, how, total);
  combine(o.all, sides.peers, how, first, counts[sides.rank], o.expected.at(0));
  const void* const sendbuf = c.in_place && !sides.inter ? MPI_IN_PLACE : o.mine.at(0);
  call(c.form, c.large, FORMS(Reduce_scatter, reduce_scatter), sendbuf, o.actual.at(0), counts, how.type, how.op,
       sides.comm);
  CHECK(same_beginning(o, counts[sides.rank]));
}

inline void scan(const Sides& sides, const Case& c, const Combination& how, bool exclusive) {
  Operands o(sides, c, how, c.count);
  combine(o.all, sides.rank + (exclusive ? 0 : 1), how, 0, c.count, o.expected.at(0));
  const void* const sendbuf = c.in_place ? MPI_IN_PLACE : o.mine.at(0);
  if (exclusive) {
    call(c.form, c.large, FORMS(Exscan, exscan), sendbuf, o.actual.at(0), c.count, how.type, how.op, sides.comm);
  } else {
    call(c.form, c.large, FORMS(Scan, scan), sendbuf, o.actual.at(0), c.count, how.type, how.op, sides.comm);
  }
  CHECK(o.actual == o.expected);  // the first process of an exscan keeps what was there
}

inline void all_reductions(const Sides& sides, const Case& c, const Combination& how) {
  reduce(sides, c, how);
  allreduce(sides, c, how);
  reduce_scatter_block(sides, c, how);
  reduce_scatter(sides, c, how);
  if (sides.inter) return;
  scan(sides, c, how, false);
  scan(sides, c, how, true);
}

}  // namespace coll
