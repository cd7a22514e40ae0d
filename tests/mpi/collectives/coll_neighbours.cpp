// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation among neighbours, on grids with rings of one and two, graphs, and distributed graphs in
// which processes are neighbours several times. On tori also by the algorithm that combines messages.
#include <algorithm>
#include <numeric>

#include "coll_data.hpp"

namespace {

using coll::Case;
using coll::Part;

// Who sends to this process, and to whom it sends; a tag tells transfers between the same two processes apart.
struct Neighbour {
  int rank;
  int tag;
};
struct Neighbourhood {
  MPI_Comm comm;
  std::vector<Neighbour> sources, destinations;
};

std::vector<Neighbour> in_order(const std::vector<int>& ranks) {
  std::vector<Neighbour> result;
  for (const int rank : ranks) {
    const auto before = std::ranges::count(result, rank, &Neighbour::rank);
    result.push_back({rank, static_cast<int>(before)});
  }
  return result;
}

Neighbourhood grid(const std::vector<int>& dims, const std::vector<int>& periods) {
  Neighbourhood result;
  const int count = static_cast<int>(dims.size());
  MPI_Cart_create(MPI_COMM_WORLD, count, dims.data(), periods.data(), 0, &result.comm);
  for (int d = 0; d < count; ++d) {
    int before, behind;
    MPI_Cart_shift(result.comm, d, 1, &before, &behind);
    // What goes one way is received from the other way.
    result.sources.push_back({before, 2 * d});
    result.sources.push_back({behind, 2 * d + 1});
    result.destinations.push_back({before, 2 * d + 1});
    result.destinations.push_back({behind, 2 * d});
  }
  return result;
}

Neighbourhood distributed(const std::vector<int>& from, const std::vector<int>& to) {
  Neighbourhood result{MPI_COMM_NULL, in_order(from), in_order(to)};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &result.comm);
  return result;
}

// Everybody and the next two, in both directions.
Neighbourhood graph() {
  std::vector<int> index, edges;
  Neighbourhood result;
  for (int r = 0; r < check::size; ++r) {
    std::vector<int> around;
    for (const int step : {1, check::size - 1, 2, check::size - 2}) {
      const int there = (r + step) % check::size;
      if (there >= 0 && there != r && std::ranges::find(around, there) == around.end()) around.push_back(there);
    }
    edges.insert(edges.end(), around.begin(), around.end());
    index.push_back(static_cast<int>(edges.size()));
    if (r == check::rank) result.sources = result.destinations = in_order(around);
  }
  MPI_Graph_create(MPI_COMM_WORLD, check::size, index.data(), edges.data(), 0, &result.comm);
  return result;
}

enum class Kind { plain, v, w };

void neighbours(const Neighbourhood& hood, const Case& c, bool gathers, Kind kind) {
  const bool plain = kind == Kind::plain;
  const int in_times = Case::times(c.in), out_times = Case::times(c.out);
  // A block's length is known to both of its ends: by their ranks, and how often they are neighbours.
  const auto length = [&](int from, int to, int tag) {
    if (from < 0 || to < 0) return c.count;  // nobody is there
    return plain ? c.count : gathers ? c.length(from, 1) : c.length(from, to + tag);
  };
  coll::Counts sends_of, receives_of, sdispls, rdispls;
  std::vector<MPI_Aint> sbytes, rbytes;
  int out_end = 0, in_end = 0;
  for (const Neighbour& n : hood.destinations) {
    sends_of.push(length(check::rank, n.rank, n.tag) * out_times);
    sdispls.push(out_end);
    sbytes.push_back(out_end * static_cast<MPI_Aint>(c.out.extent));
    if (!gathers) out_end += sends_of.small.back();
  }
  for (const Neighbour& n : hood.sources) {
    receives_of.push(length(n.rank, check::rank, n.tag) * in_times);
    rdispls.push(in_end);
    rbytes.push_back(in_end * static_cast<MPI_Aint>(c.in.extent));
    in_end += receives_of.small.back() + (plain ? 0 : 1);
  }
  const int mine = (plain ? c.count : c.length(check::rank, 1)) * out_times;
  coll::Memory given(c.out, gathers ? mine : out_end, check::rank, c.salt);
  coll::Memory expected(c.in, in_end, check::rank, c.salt + 1), actual = expected;
  std::vector<Part> sends, receives;
  for (std::size_t i = 0; i < hood.destinations.size(); ++i) {
    const int n = static_cast<int>(i);
    sends.push_back({hood.destinations[i].rank, given.at(sdispls[n]), gathers ? mine : sends_of[n], c.out.type,
                     hood.destinations[i].tag});
  }
  for (std::size_t i = 0; i < hood.sources.size(); ++i) {
    const int n = static_cast<int>(i);
    receives.push_back({hood.sources[i].rank, expected.at(rdispls[n]), receives_of[n], c.in.type, hood.sources[i].tag});
  }
  coll::exchange(hood.comm, sends, receives);

  const int each_in = c.count * in_times, each_out = c.count * out_times;
  const std::vector<MPI_Datatype> out_types(sends.size(), c.out.type), in_types(receives.size(), c.in.type);
  if (gathers && plain) {
    coll::call(c.form, c.large, FORMS(Neighbor_allgather, neighbor_allgather), given.at(0), mine, c.out.type,
               actual.at(0), each_in, c.in.type, hood.comm);
  } else if (gathers) {
    coll::call(c.form, c.large, FORMS(Neighbor_allgatherv, neighbor_allgatherv), given.at(0), mine, c.out.type,
               actual.at(0), receives_of, rdispls, c.in.type, hood.comm);
  } else if (plain) {
    coll::call(c.form, c.large, FORMS(Neighbor_alltoall, neighbor_alltoall), given.at(0), each_out, c.out.type,
               actual.at(0), each_in, c.in.type, hood.comm);
  } else if (kind == Kind::v) {
    coll::call(c.form, c.large, FORMS(Neighbor_alltoallv, neighbor_alltoallv), given.at(0), sends_of, sdispls,
               c.out.type, actual.at(0), receives_of, rdispls, c.in.type, hood.comm);
  } else {
    coll::call(c.form, c.large, FORMS(Neighbor_alltoallw, neighbor_alltoallw), given.at(0), sends_of, sbytes.data(),
               out_types.data(), actual.at(0), receives_of, rbytes.data(), in_types.data(), hood.comm);
  }
  CHECK(actual == expected);
}

void all_cases(Neighbourhood hood, const std::vector<coll::Layout>& layouts) {
  std::size_t number = 0;
  for (const int count : {0, 1, 40, 5000}) {
    for (const coll::Form form : coll::forms) {
      const std::size_t n = number++;
      const Case c{form,
                   n % 2 == 0,
                   false,
                   count,
                   0,
                   true,
                   layouts[n % layouts.size()],
                   layouts[(n + n / 3) % layouts.size()],
                   static_cast<int>(n)};
      for (const Kind kind : {Kind::plain, Kind::v}) neighbours(hood, c, true, kind);
      for (const Kind kind : {Kind::plain, Kind::v, Kind::w}) neighbours(hood, c, false, kind);
    }
  }
  CHECK_EQ(MPI_Comm_free(&hood.comm), MPI_SUCCESS);
}

/// Grids of one to four dimensions.
std::vector<std::vector<int>> shapes() {
  const int n = check::size;
  std::vector<std::vector<int>> result = {{n}, {1, n}, {n, 1, 1}, {1, 1, n, 1}};
  if (n % 2 == 0) {
    for (const std::vector<int>& dims : {std::vector{2, n / 2}, {n / 2, 1, 2}, {1, 2, 1, n / 2}})
      result.push_back(dims);
  }
  if (n % 4 == 0) {
    for (const std::vector<int>& dims : {std::vector{2, 2, n / 4}, {2, n / 4, 2, 1}}) result.push_back(dims);
  }
  return result;
}

Neighbourhood combining(const Neighbourhood& hood) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "bowline_collectives", "neighbor_allgather = combining, neighbor_alltoall = combining");
  CHECK_EQ(MPI_Comm_set_info(hood.comm, info), MPI_SUCCESS);
  MPI_Info_free(&info);
  return hood;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  auto layouts = coll::make_layouts();
  const int n = check::size;
  for (const std::vector<int>& dims : shapes()) {
    const std::vector<int> all_periodic(dims.size(), 1);
    all_cases(grid(dims, all_periodic), layouts);
    all_cases(combining(grid(dims, all_periodic)), layouts);
    std::vector<int> some_periodic = all_periodic;
    some_periodic.back() = 0;
    all_cases(combining(grid(dims, some_periodic)), layouts);
  }
  all_cases(graph(), layouts);
  const int next = (check::rank + 1) % n, previous = (check::rank + n - 1) % n;
  // To the next twice, to oneself, and nothing from some.
  all_cases(distributed({previous, check::rank, previous}, {next, next, check::rank}), layouts);
  const std::vector<int> nobody;
  std::vector<int> others(static_cast<std::size_t>(n - 1));
  std::iota(others.begin(), others.end(), 1);
  all_cases(distributed(check::rank == 0 ? others : nobody, check::rank == 0 ? nobody : std::vector<int>{0}), layouts);
  coll::free_layouts(layouts);
  return program.finish();
}
