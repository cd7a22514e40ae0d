// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation that moves data without combining them, on any communicator, against what sends and
// receives do.
#pragma once

#include "coll_forms.hpp"
#include "coll_reference.hpp"

namespace coll {

// One combination of everything that a call can differ in.
struct Case {
  Form form;
  bool large;
  bool in_place;
  int count;  // of elements with two integers; all members' counts follow from it
  int root;
  bool root_in_my_group;
  const Layout& out;  // of what is sent
  const Layout& in;   // of what is received
  int salt;

  // How often a side's elements stand for one element with two integers.
  static int times(const Layout& layout) { return layout.is_pair ? 1 : 2; }
  // The length of the block from one member to another: some are empty.
  int length(int from, int to) const { return count == 0 ? 0 : (from * 3 + to * 5 + count) % (count + 2); }
};

inline void bcast(const Sides& sides, const Case& c) {
  const Root root = root_of(sides, c.root, c.root_in_my_group);
  const Layout& layout = root.here ? c.out : c.in;
  const int count = c.count * Case::times(layout);
  Memory expected(layout, count, check::rank, c.salt), actual = expected;
  std::vector<Part> sends, receives;
  for (int i = 0; root.here && i < sides.peers; ++i) {
    if (sides.inter || i != sides.rank) sends.push_back({i, expected.at(0), count, layout.type});
  }
  if (!root.here && root.contributes) receives.push_back({c.root, expected.at(0), count, layout.type});
  exchange(sides.comm, sends, receives);
  call(c.form, c.large, FORMS(Bcast, bcast), actual.at(0), count, layout.type, root.argument, sides.comm);
  CHECK(actual == expected);
}

// Gather and gatherv, which gathers blocks of different lengths with gaps, in falling order.
inline void gather(const Sides& sides, const Case& c, bool v) {
  const Root root = root_of(sides, c.root, c.root_in_my_group);
  const int in_times = Case::times(c.in), out_times = Case::times(c.out);
  Counts counts, displs;
  int end = 0;
  for (int i = 0; i < sides.peers; ++i) counts.push((v ? c.length(i, 1) : c.count) * in_times);
  for (int i = 0; i < sides.peers; ++i) end += counts[i] + (v ? 1 : 0);
  for (int i = 0, place = end; i < sides.peers; ++i) {
    place -= counts[i] + (v ? 1 : 0);
    displs.push(v ? place : i * c.count * in_times);
  }
  const int mine = (v ? c.length(sides.rank, 1) : c.count) * out_times;
  Memory given(c.out, mine, check::rank, c.salt);
  Memory expected(c.in, end, check::rank, c.salt + 1), actual = expected;
  const bool in_place = c.in_place && root.here && !sides.inter;

  std::vector<Part> sends, receives;
  if (root.contributes && !in_place) sends.push_back({c.root, given.at(0), mine, c.out.type});
  for (int i = 0; root.here && i < sides.peers; ++i) {
    if (!in_place || i != sides.rank) receives.push_back({i, expected.at(displs[i]), counts[i], c.in.type});
  }
  exchange(sides.comm, sends, receives);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : given.at(0);
  // What counts at the root only may be anything elsewhere.
  void* const recvbuf = root.here ? actual.at(0) : nullptr;
  const MPI_Datatype recvtype = root.here ? c.in.type : MPI_DATATYPE_NULL;
  if (v) {
    call(c.form, c.large, FORMS(Gatherv, gatherv), sendbuf, mine, c.out.type, recvbuf, counts, displs, recvtype,
         root.argument, sides.comm);
  } else {
    call(c.form, c.large, FORMS(Gather, gather), sendbuf, mine, c.out.type, recvbuf, c.count * in_times, recvtype,
         root.argument, sides.comm);
  }
  CHECK(actual == expected);
}

inline void scatter(const Sides& sides, const Case& c, bool v) {
  const Root root = root_of(sides, c.root, c.root_in_my_group);
  const int in_times = Case::times(c.in), out_times = Case::times(c.out);
  Counts counts, displs;
  int end = 0;
  for (int i = 0; i < sides.peers; ++i) {
    counts.push((v ? c.length(1, i) : c.count) * out_times);
    displs.push(end);
    end += counts[i] + (v ? 2 : 0);
  }
  const int mine = (v ? c.length(1, sides.rank) : c.count) * in_times;
  Memory given(c.out, end, check::rank, c.salt);
  Memory expected(c.in, mine, check::rank, c.salt + 1), actual = expected;
  const bool in_place = c.in_place && root.here && !sides.inter;

  std::vector<Part> sends, receives;
  for (int i = 0; root.here && i < sides.peers; ++i) {
    if (!in_place || i != sides.rank) sends.push_back({i, given.at(displs[i]), counts[i], c.out.type});
  }
  if (root.contributes && !in_place) receives.push_back({c.root, expected.at(0), mine, c.in.type});
  exchange(sides.comm, sends, receives);
  void* const recvbuf = in_place ? MPI_IN_PLACE : actual.at(0);
  const void* const sendbuf = root.here ? given.at(0) : nullptr;
  const MPI_Datatype sendtype = root.here ? c.out.type : MPI_DATATYPE_NULL;
  if (v) {
    call(c.form, c.large, FORMS(Scatterv, scatterv), sendbuf, counts, displs, sendtype, recvbuf, mine, c.in.type,
         root.argument, sides.comm);
  } else {
    call(c.form, c.large, FORMS(Scatter, scatter), sendbuf, c.count * out_times, sendtype, recvbuf, mine, c.in.type,
         root.argument, sides.comm);
  }
  CHECK(actual == expected);
}

inline void allgather(const Sides& sides, const Case& c, bool v) {
  const int in_times = Case::times(c.in), out_times = Case::times(c.out);
  Counts counts, displs;
  int end = 0;
  for (int i = 0; i < sides.peers; ++i) {
    counts.push((v ? c.length(i, 1) : c.count) * in_times);
    displs.push(end);
    end += counts[i] + (v ? 1 : 0);
  }
  const int mine = (v ? c.length(sides.rank, 1) : c.count) * out_times;
  Memory given(c.out, mine, check::rank, c.salt);
  Memory expected(c.in, end, check::rank, c.salt + 1), actual = expected;
  const bool in_place = c.in_place && !sides.inter;

  std::vector<Part> sends, receives;
  for (int i = 0; i < sides.peers; ++i) {
    if (in_place && i == sides.rank) continue;
    if (in_place) {
      sends.push_back({i, expected.at(displs[sides.rank]), counts[sides.rank], c.in.type});
    } else {
      sends.push_back({i, given.at(0), mine, c.out.type});
    }
    receives.push_back({i, expected.at(displs[i]), counts[i], c.in.type});
  }
  exchange(sides.comm, sends, receives);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : given.at(0);
  if (v) {
    call(c.form, c.large, FORMS(Allgatherv, allgatherv), sendbuf, mine, c.out.type, actual.at(0), counts, displs,
         c.in.type, sides.comm);
  } else {
    call(c.form, c.large, FORMS(Allgather, allgather), sendbuf, mine, c.out.type, actual.at(0), c.count * in_times,
         c.in.type, sides.comm);
  }
  CHECK(actual == expected);
}

enum class Alltoall { plain, v, w };

inline void alltoall(const Sides& sides, const Case& c, Alltoall kind) {
  const bool plain = kind == Alltoall::plain;
  const int in_times = Case::times(c.in), out_times = Case::times(c.out);
  const bool in_place = c.in_place && !sides.inter;
  Counts sends_of, sdispls, receives_of, rdispls, sbytes, rbytes;
  int out_end = 0, in_end = 0;
  for (int i = 0; i < sides.peers; ++i) {
    // In place both directions have one length.
    const int to = plain ? c.count : in_place ? c.length(sides.rank + i, 0) : c.length(sides.rank, i);
    const int from = plain ? c.count : in_place ? c.length(sides.rank + i, 0) : c.length(i, sides.rank);
    sends_of.push(to * out_times);
    receives_of.push(from * in_times);
    sdispls.push(out_end);
    rdispls.push(in_end);
    sbytes.push(out_end * static_cast<int>(c.out.extent));
    rbytes.push(in_end * static_cast<int>(c.in.extent));
    out_end += sends_of[i] + (plain ? 0 : 1);
    in_end += receives_of[i] + (plain ? 0 : 2);
  }
  Memory given(c.out, out_end, check::rank, c.salt);
  Memory expected(c.in, in_end, check::rank, c.salt + 1), actual = expected, before = expected;

  std::vector<Part> sends, receives;
  for (int i = 0; i < sides.peers; ++i) {
    if (in_place) {
      sends.push_back({i, before.at(rdispls[i]), receives_of[i], c.in.type});
    } else {
      sends.push_back({i, given.at(sdispls[i]), sends_of[i], c.out.type});
    }
    receives.push_back({i, expected.at(rdispls[i]), receives_of[i], c.in.type});
  }
  exchange(sides.comm, sends, receives);
  const void* const sendbuf = in_place ? MPI_IN_PLACE : given.at(0);
  const auto peers = static_cast<std::size_t>(sides.peers);
  const std::vector<MPI_Datatype> out_types(peers, c.out.type), in_types(peers, c.in.type);
  if (plain) {
    call(c.form, c.large, FORMS(Alltoall, alltoall), sendbuf, c.count * out_times, c.out.type, actual.at(0),
         c.count * in_times, c.in.type, sides.comm);
  } else if (kind == Alltoall::v) {
    call(c.form, c.large, FORMS(Alltoallv, alltoallv), sendbuf, sends_of, sdispls, c.out.type, actual.at(0),
         receives_of, rdispls, c.in.type, sides.comm);
  } else {
    call(c.form, c.large, FORMS(Alltoallw, alltoallw), sendbuf, sends_of, sbytes, out_types.data(), actual.at(0),
         receives_of, rbytes, in_types.data(), sides.comm);
  }
  CHECK(actual == expected);
}

inline void barrier(const Sides& sides, const Case& c) {
  run(c.form, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, sides.comm);
}

// All of them.
inline void all_data(const Sides& sides, const Case& c) {
  barrier(sides, c);
  bcast(sides, c);
  for (const bool v : {false, true}) {
    gather(sides, c, v);
    scatter(sides, c, v);
    allgather(sides, c, v);
  }
  for (const Alltoall kind : {Alltoall::plain, Alltoall::v, Alltoall::w}) alltoall(sides, c, kind);
}

}  // namespace coll
