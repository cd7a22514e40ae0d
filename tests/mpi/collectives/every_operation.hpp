// SPDX-License-Identifier: BSD-3-Clause
// One check of each collective operation, by results that say from where each element came. Reductions run with a
// commutative operator and with one that needs the order of ranks. Operations without a root or a length ignore it.
#pragma once

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "check.hpp"

namespace every {

using Vector = std::vector<std::int64_t>;
inline const MPI_Datatype type = MPI_INT64_T;

inline std::size_t ranks() {
  return static_cast<std::size_t>(check::size);
}
/// Element i of what `from` has for `to`.
inline std::int64_t element(int from, int to, std::size_t i) {
  return from * 1'000'003 + to * 10'007 + static_cast<std::int64_t>(i);
}
inline void fill(Vector& vector, std::size_t offset, std::size_t count, int from, int to) {
  for (std::size_t i = 0; i < count; ++i) vector[offset + i] = element(from, to, i);
}
inline void expect(const Vector& vector, std::size_t offset, std::size_t count, int from, int to, const char* what) {
  for (std::size_t i = 0; i < count; ++i) {
    if (vector[offset + i] != element(from, to, i)) {
      check::report(__FILE__, __LINE__,
                    std::string(what) + ": wrong at element " + std::to_string(i) + " of " + std::to_string(count) +
                        " from rank " + std::to_string(from));
      break;
    }
  }
  ++check::made;
}

/// Blocks of different lengths, some of them empty: of the rank itself as large as `count` allows.
struct Parts {
  explicit Parts(int count) {
    for (int rank = 0; rank < check::size; ++rank) {
      counts.push_back(rank % 3 == 1 ? 0 : count / (rank % 3 + 1));
      places.push_back(total);
      total += counts.back() + 2;  // with gaps between them
    }
  }
  int of(int rank) const { return counts[static_cast<std::size_t>(rank)]; }
  std::size_t at(int rank) const { return static_cast<std::size_t>(places[static_cast<std::size_t>(rank)]); }
  std::vector<int> counts;
  std::vector<int> places;
  int total = 0;
};

inline void barrier(MPI_Comm comm, int, int) {
  struct Times {
    double in, out;
  };
  Times mine{MPI_Wtime(), 0};
  CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  mine.out = MPI_Wtime();
  std::vector<Times> all(ranks());
  MPI_Allgather(&mine, 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, MPI_COMM_WORLD);
  for (const Times& each : all) CHECK(each.in <= mine.out);  // one node has one clock
}

inline void bcast(MPI_Comm comm, int count, int root) {
  const auto n = static_cast<std::size_t>(count);
  Vector data(n);
  if (check::rank == root) fill(data, 0, n, root, 0);
  CHECK_EQ(MPI_Bcast(data.data(), count, type, root, comm), MPI_SUCCESS);
  expect(data, 0, n, root, 0, "bcast");
}

inline void gather(MPI_Comm comm, int count, int root) {
  const auto n = static_cast<std::size_t>(count);
  Vector mine(n), all(n * ranks());
  fill(mine, 0, n, check::rank, root);
  CHECK_EQ(MPI_Gather(mine.data(), count, type, all.data(), count, type, root, comm), MPI_SUCCESS);
  if (check::rank != root) return;
  for (int from = 0; from < check::size; ++from)
    expect(all, static_cast<std::size_t>(from) * n, n, from, root, "gather");
}

inline void gatherv(MPI_Comm comm, int count, int root) {
  const Parts parts(count);
  Vector mine(static_cast<std::size_t>(parts.of(check::rank))), all(static_cast<std::size_t>(parts.total), -1);
  fill(mine, 0, mine.size(), check::rank, root);
  CHECK_EQ(MPI_Gatherv(mine.data(), parts.of(check::rank), type, all.data(), parts.counts.data(), parts.places.data(),
                       type, root, comm),
           MPI_SUCCESS);
  if (check::rank != root) return;
  for (int from = 0; from < check::size; ++from) {
    const auto n = static_cast<std::size_t>(parts.of(from));
    expect(all, parts.at(from), n, from, root, "gatherv");
    CHECK(all[parts.at(from) + n] == -1);
  }
}

inline void scatter(MPI_Comm comm, int count, int root) {
  const auto n = static_cast<std::size_t>(count);
  Vector all(n * ranks()), mine(n);
  for (int to = 0; to < check::size; ++to) fill(all, static_cast<std::size_t>(to) * n, n, root, to);
  CHECK_EQ(MPI_Scatter(all.data(), count, type, mine.data(), count, type, root, comm), MPI_SUCCESS);
  expect(mine, 0, n, root, check::rank, "scatter");
}

inline void scatterv(MPI_Comm comm, int count, int root) {
  const Parts parts(count);
  Vector all(static_cast<std::size_t>(parts.total)), mine(static_cast<std::size_t>(parts.of(check::rank)));
  for (int to = 0; to < check::size; ++to) fill(all, parts.at(to), static_cast<std::size_t>(parts.of(to)), root, to);
  CHECK_EQ(MPI_Scatterv(all.data(), parts.counts.data(), parts.places.data(), type, mine.data(), parts.of(check::rank),
                        type, root, comm),
           MPI_SUCCESS);
  expect(mine, 0, mine.size(), root, check::rank, "scatterv");
}

inline void allgather(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  Vector mine(n), all(n * ranks());
  fill(mine, 0, n, check::rank, 0);
  CHECK_EQ(MPI_Allgather(mine.data(), count, type, all.data(), count, type, comm), MPI_SUCCESS);
  for (int from = 0; from < check::size; ++from)
    expect(all, static_cast<std::size_t>(from) * n, n, from, 0, "allgather");
}

inline void allgatherv(MPI_Comm comm, int count, int) {
  const Parts parts(count);
  Vector mine(static_cast<std::size_t>(parts.of(check::rank))), all(static_cast<std::size_t>(parts.total), -1);
  fill(mine, 0, mine.size(), check::rank, 0);
  CHECK_EQ(MPI_Allgatherv(mine.data(), parts.of(check::rank), type, all.data(), parts.counts.data(),
                          parts.places.data(), type, comm),
           MPI_SUCCESS);
  for (int from = 0; from < check::size; ++from) {
    expect(all, parts.at(from), static_cast<std::size_t>(parts.of(from)), from, 0, "allgatherv");
  }
}

inline void alltoall(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  Vector out(n * ranks()), in(n * ranks());
  for (int to = 0; to < check::size; ++to) fill(out, static_cast<std::size_t>(to) * n, n, check::rank, to);
  CHECK_EQ(MPI_Alltoall(out.data(), count, type, in.data(), count, type, comm), MPI_SUCCESS);
  for (int from = 0; from < check::size; ++from) {
    expect(in, static_cast<std::size_t>(from) * n, n, from, check::rank, "alltoall");
  }
}

/// Rank a sends rank b as many elements as part number a + b has.
inline void alltoallv(MPI_Comm comm, int count, int) {
  const Parts parts(count);
  std::vector<int> counts, places;
  int total = 0;
  for (int other = 0; other < check::size; ++other) {
    counts.push_back(parts.of((check::rank + other) % check::size));
    places.push_back(total);
    total += counts.back();
  }
  Vector out(static_cast<std::size_t>(total)), in(static_cast<std::size_t>(total));
  for (std::size_t to = 0; to < ranks(); ++to) {
    fill(out, static_cast<std::size_t>(places[to]), static_cast<std::size_t>(counts[to]), check::rank,
         static_cast<int>(to));
  }
  CHECK_EQ(MPI_Alltoallv(out.data(), counts.data(), places.data(), type, in.data(), counts.data(), places.data(), type,
                         comm),
           MPI_SUCCESS);
  for (std::size_t from = 0; from < ranks(); ++from) {
    expect(in, static_cast<std::size_t>(places[from]), static_cast<std::size_t>(counts[from]), static_cast<int>(from),
           check::rank, "alltoallv");
  }
}

// ---- reductions

/// x -> factor x + offset, modulo 2^64. One after the other is associative and not commutative.
struct Map {
  std::uint64_t factor, offset;
  bool operator==(const Map&) const = default;
};
inline Map then(const Map& first, const Map& second) {
  return {first.factor * second.factor, second.factor * first.offset + second.offset};
}
inline void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  const Map* const left = static_cast<const Map*>(in);
  Map* const right = static_cast<Map*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = then(left[i], right[i]);
}
inline Map map_of(int rank, std::size_t i) {
  return {2 * static_cast<std::uint64_t>(rank) + 3, static_cast<std::uint64_t>(element(rank, 0, i))};
}
inline Map product(int first, int last, std::size_t i) {
  Map result = map_of(first, i);
  for (int rank = first + 1; rank <= last; ++rank) result = then(result, map_of(rank, i));
  return result;
}

/// The operator that needs the order of ranks, and its type.
class Ordered {
 public:
  Ordered() {
    MPI_Type_contiguous(2, MPI_UINT64_T, &map);
    MPI_Type_commit(&map);
    MPI_Op_create(compose, 0, &op);
  }
  ~Ordered() {
    MPI_Op_free(&op);
    MPI_Type_free(&map);
  }
  Ordered(const Ordered&) = delete;
  Ordered& operator=(const Ordered&) = delete;
  MPI_Datatype map = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

inline std::int64_t sum(int first, int last, std::size_t i) {
  std::int64_t result = 0;
  for (int rank = first; rank <= last; ++rank) result += element(rank, 0, i);
  return result;
}

/// Calls the reduction once with each operator on vectors of `length` elements. `reduction(in, out, type, op)` is the
/// call; the first `results` elements of out must then be elements from `offset` on of what ranks 0 to `last` have.
template <class Reduction>
void with_both_operators(std::size_t length, std::size_t results, std::size_t offset, int last, const char* what,
                         Reduction reduction) {
  Vector in(length), out(length);
  fill(in, 0, length, check::rank, 0);
  CHECK_EQ(reduction(in.data(), out.data(), type, MPI_SUM), MPI_SUCCESS);
  const Ordered ordered;
  std::vector<Map> maps(length), composed(length);
  for (std::size_t i = 0; i < length; ++i) maps[i] = map_of(check::rank, i);
  CHECK_EQ(reduction(maps.data(), composed.data(), ordered.map, ordered.op), MPI_SUCCESS);
  for (std::size_t i = 0; i < results; ++i) {
    const bool right = out[i] == sum(0, last, offset + i);
    const bool in_order = composed[i] == product(0, last, offset + i);
    if (right && in_order) continue;
    check::report(__FILE__, __LINE__,
                  std::string(what) + (right ? ", operator with order" : ", sum") + ": wrong at element " +
                      std::to_string(i) + " of " + std::to_string(results));
    break;
  }
  ++check::made;
}

inline void reduce(MPI_Comm comm, int count, int root) {
  const auto n = static_cast<std::size_t>(count);
  with_both_operators(n, check::rank == root ? n : 0, 0, check::size - 1, "reduce",
                      [=](const void* in, void* out, MPI_Datatype of, MPI_Op op) {
                        return MPI_Reduce(in, out, count, of, op, root, comm);
                      });
}
inline void allreduce(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  with_both_operators(n, n, 0, check::size - 1, "allreduce",
                      [=](const void* in, void* out, MPI_Datatype of, MPI_Op op) {
                        return MPI_Allreduce(in, out, count, of, op, comm);
                      });
}
inline void reduce_scatter_block(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  with_both_operators(n * ranks(), n, n * static_cast<std::size_t>(check::rank), check::size - 1,
                      "reduce_scatter_block", [=](const void* in, void* out, MPI_Datatype of, MPI_Op op) {
                        return MPI_Reduce_scatter_block(in, out, count, of, op, comm);
                      });
}
inline void reduce_scatter(MPI_Comm comm, int count, int) {
  const Parts parts(count);
  std::size_t total = 0, before = 0;
  for (int rank = 0; rank < check::size; ++rank) {
    if (rank == check::rank) before = total;
    total += static_cast<std::size_t>(parts.of(rank));
  }
  with_both_operators(total, static_cast<std::size_t>(parts.of(check::rank)), before, check::size - 1, "reduce_scatter",
                      [&](const void* in, void* out, MPI_Datatype of, MPI_Op op) {
                        return MPI_Reduce_scatter(in, out, parts.counts.data(), of, op, comm);
                      });
}
inline void scan(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  with_both_operators(n, n, 0, check::rank, "scan", [=](const void* in, void* out, MPI_Datatype of, MPI_Op op) {
    return MPI_Scan(in, out, count, of, op, comm);
  });
}
inline void exscan(MPI_Comm comm, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  with_both_operators(
      n, check::rank == 0 ? 0 : n, 0, check::rank - 1, "exscan",
      [=](const void* in, void* out, MPI_Datatype of, MPI_Op op) { return MPI_Exscan(in, out, count, of, op, comm); });
}

// ---- neighbourhoods, in a circle of ranks

inline void neighbor_allgather(MPI_Comm circle, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  Vector mine(n), both(2 * n);
  fill(mine, 0, n, check::rank, 0);
  CHECK_EQ(MPI_Neighbor_allgather(mine.data(), count, type, both.data(), count, type, circle), MPI_SUCCESS);
  expect(both, 0, n, (check::rank + check::size - 1) % check::size, 0, "neighbor_allgather");
  expect(both, n, n, (check::rank + 1) % check::size, 0, "neighbor_allgather");
}

/// To the left and to the right, and what the left neighbour sends to its right.
inline void neighbor_alltoall(MPI_Comm circle, int count, int) {
  const auto n = static_cast<std::size_t>(count);
  Vector out(2 * n), in(2 * n);
  fill(out, 0, n, check::rank, 1);
  fill(out, n, n, check::rank, 2);
  CHECK_EQ(MPI_Neighbor_alltoall(out.data(), count, type, in.data(), count, type, circle), MPI_SUCCESS);
  expect(in, 0, n, (check::rank + check::size - 1) % check::size, 2, "neighbor_alltoall");
  expect(in, n, n, (check::rank + 1) % check::size, 1, "neighbor_alltoall");
}

// ---- reductions whose bits depend on the order of operands

/// The maxima of 0 and -0, of which the one or the other is the result.
inline std::vector<std::vector<double>> maxima_of_zeros(MPI_Comm comm, int count) {
  const std::size_t n = static_cast<std::size_t>(count);
  std::vector<double> in(n * ranks());
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = (i / 3 + static_cast<std::size_t>(check::rank)) % 2 == 0 ? 0 : -0.0;
  std::vector<std::vector<double>> all(5 + ranks(), std::vector<double>(n));
  MPI_Allreduce(in.data(), all[0].data(), count, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Reduce_scatter_block(in.data(), all[1].data(), count, MPI_DOUBLE, MPI_MAX, comm);
  MPI_Scan(in.data(), all[2].data(), count, MPI_DOUBLE, MPI_MAX, comm);
  if (check::rank > 0) all[3] = in;  // what exscan leaves alone at rank 0
  MPI_Exscan(in.data(), all[3].data(), count, MPI_DOUBLE, MPI_MAX, comm);
  all[4] = {in.begin(), in.begin() + count};
  MPI_Allreduce(MPI_IN_PLACE, all[4].data(), count, MPI_DOUBLE, MPI_MAX, comm);
  for (int root = 0; root < check::size; ++root)
    MPI_Reduce(in.data(), all[5 + static_cast<std::size_t>(root)].data(), count, MPI_DOUBLE, MPI_MAX, root, comm);
  return all;
}

/// What this rank gets from each reduction.
inline std::vector<std::vector<double>> sums(MPI_Comm comm, int count) {
  const std::size_t n = static_cast<std::size_t>(count);
  std::vector<double> in(n * ranks());
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = std::ldexp(1.0 + std::sin(element(check::rank, 0, i)), static_cast<int>((i * 7 + ranks()) % 40));
  }
  std::vector<std::vector<double>> all(5, std::vector<double>(n));
  CHECK_EQ(MPI_Reduce(in.data(), all[0].data(), count, MPI_DOUBLE, MPI_SUM, check::size - 1, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Allreduce(in.data(), all[1].data(), count, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Reduce_scatter_block(in.data(), all[2].data(), count, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Scan(in.data(), all[3].data(), count, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Exscan(in.data(), all[4].data(), count, MPI_DOUBLE, MPI_SUM, comm), MPI_SUCCESS);
  if (check::rank == 0) all[4].assign(n, 0.0);
  if (check::rank != check::size - 1) all[0].assign(n, 0.0);
  return all;
}

}  // namespace every
