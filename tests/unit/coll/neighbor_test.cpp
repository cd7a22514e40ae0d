// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: random graphs with edges to oneself and several between the same two processes, and grids
// whose dimensions are rings of one and two, and the same neighbours of everybody in a torus.
#include "coll/algorithms/neighbor/neighbor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>

#include "reference.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

/// An edge carries the block `out` of `from` to the block `in` of `to`.
struct Edge {
  int from, out, to, in;
};

struct Graph {
  std::vector<std::vector<int>> sources, destinations;  ///< of each member
  std::vector<Edge> edges;
  bool grid = false;
  std::vector<int> dims, offsets;  ///< of the torus, if it is one

  explicit Graph(int members)
      : sources(static_cast<std::size_t>(members)), destinations(static_cast<std::size_t>(members)) {}
  int members() const { return static_cast<int>(sources.size()); }
  void connect(int from, int to) {
    auto& out = destinations[static_cast<std::size_t>(from)];
    auto& in = sources[static_cast<std::size_t>(to)];
    edges.push_back({from, static_cast<int>(out.size()), to, static_cast<int>(in.size())});
    out.push_back(to);
    in.push_back(from);
  }
};

Graph random_graph(int members, int edges, std::mt19937& random) {
  Graph graph(members);
  for (int i = 0; i < edges; ++i) {
    const auto any = [&] { return static_cast<int>(random() % static_cast<unsigned>(members)); };
    graph.connect(any(), any());
  }
  return graph;
}

/// A torus in which everybody has these neighbours, a row of offsets for each.
Graph stencil(const std::vector<int>& dims, const std::vector<int>& offsets) {
  Graph graph(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies{}));
  graph.dims = dims;
  graph.offsets = offsets;
  const int neighbours = static_cast<int>(offsets.size() / dims.size());
  const auto moved = [&](int member, int neighbour, int sign) {
    std::vector<int> at(dims.size());
    for (std::size_t k = dims.size(); k-- > 0; member /= dims[k]) at[k] = member % dims[k];
    int rank = 0;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      const int offset = sign * offsets[static_cast<std::size_t>(neighbour) * dims.size() + k];
      rank = rank * dims[k] + ((at[k] + offset) % dims[k] + dims[k]) % dims[k];
    }
    return rank;
  };
  for (int member = 0; member < graph.members(); ++member) {
    for (int i = 0; i < neighbours; ++i) {
      graph.destinations[static_cast<std::size_t>(member)].push_back(moved(member, i, 1));
      graph.sources[static_cast<std::size_t>(member)].push_back(moved(member, i, -1));
      graph.edges.push_back({member, i, moved(member, i, 1), i});
    }
  }
  return graph;
}

/// The offsets of all neighbours that are at most one step away in every dimension, oneself excepted.
std::vector<int> surroundings(std::size_t dimensions) {
  std::vector<int> offsets;
  std::vector<int> row(dimensions, -1);
  while (true) {
    if (std::ranges::any_of(row, [](int step) { return step != 0; }))
      offsets.insert(offsets.end(), row.begin(), row.end());
    std::size_t k = 0;
    while (k < dimensions && row[k] == 1) row[k++] = -1;
    if (k == dimensions) return offsets;
    ++row[k];
  }
}

/// A grid, periodic in all dimensions or in none, in row-major order.
Graph grid(const std::vector<int>& dims, bool periodic) {
  Graph graph(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies{}));
  graph.grid = true;
  if (periodic) {
    graph.dims = dims;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      for (const int step : {-1, 1}) {
        for (std::size_t other = 0; other < dims.size(); ++other) graph.offsets.push_back(other == k ? step : 0);
      }
    }
  }
  for (int member = 0; member < graph.members(); ++member) {
    int stride = graph.members();
    for (std::size_t k = 0; k < dims.size(); ++k) {
      stride /= dims[k];
      const int at = member / stride % dims[k];
      for (const int step : {-1, 1}) {
        const int there = (at + step + dims[k]) % dims[k];
        const bool outside = there != at + step;
        const int other = outside && !periodic ? -1 : member + (there - at) * stride;
        graph.sources[static_cast<std::size_t>(member)].push_back(other);
        graph.destinations[static_cast<std::size_t>(member)].push_back(other);
        const int out = 2 * static_cast<int>(k) + (step + 1) / 2;
        // What leaves through one face of a process enters through the opposite face of the other.
        if (other >= 0) graph.edges.push_back({member, out, other, out ^ 1});
      }
    }
  }
  return graph;
}

enum class BlockLengths { alike, different };

constexpr std::size_t room = 16;  ///< for each block; those that are alike fill it

std::size_t length_of(std::size_t number, BlockLengths lengths) {
  return lengths == BlockLengths::alike ? room : (number * 5) % 13;
}

class NeighborBuffers {
 public:
  NeighborBuffers(const std::vector<std::vector<int>>& neighbours, BlockLengths lengths)
      : lengths_(lengths), bytes_(neighbours.size()), tables_(bytes_.size()) {
    for (std::size_t member = 0; member < bytes_.size(); ++member) {
      bytes_[member].assign(room * neighbours[member].size(), std::byte{0xee});
      for (std::size_t i = 0; i < neighbours[member].size(); ++i) {
        tables_[member].push_back({static_cast<std::ptrdiff_t>(room * i), 0});
      }
    }
  }
  void set_length(int member, int block, std::size_t bytes) {
    tables_[static_cast<std::size_t>(member)][static_cast<std::size_t>(block)].bytes = bytes;
  }
  void fill(int member, int block, int value) {
    for (std::byte& byte : blocks(member)[block]) byte = static_cast<std::byte>(value++);
  }
  Blocks blocks(int member) {
    std::byte* const base = bytes_[static_cast<std::size_t>(member)].data();
    return lengths_ == BlockLengths::alike ? Blocks(base, room)
                                           : Blocks(base, tables_[static_cast<std::size_t>(member)].data());
  }
  const std::vector<std::vector<std::byte>>& bytes() const { return bytes_; }

 private:
  BlockLengths lengths_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<Block>> tables_;
};

/// What the members know of their neighbours.
class Around {
 public:
  explicit Around(const Graph& graph) : torus_{graph.dims, graph.offsets} {
    for (std::size_t member = 0; member < graph.sources.size(); ++member) {
      neighbours_.push_back({.sources = graph.sources[member],
                             .destinations = graph.destinations[member],
                             .grid = graph.grid,
                             .torus = graph.dims.empty() ? nullptr : &torus_});
    }
  }
  Around(const Around&) = delete;
  Around& operator=(const Around&) = delete;
  const Neighbours* of(int member) const { return &neighbours_[static_cast<std::size_t>(member)]; }

 private:
  Torus torus_;
  std::vector<Neighbours> neighbours_;
};

/// Returns how many transfers each member has begun.
std::vector<int> run_all(Run algorithm, const std::vector<Arguments>& arguments, std::uint32_t seed) {
  Model model(static_cast<int>(arguments.size()), seed);
  model.run([&](Channel& channel) { return algorithm(channel, arguments[static_cast<std::size_t>(channel.rank())]); });
  return model.sends();
}

void check_alltoall(Run algorithm, const Graph& graph, BlockLengths lengths, std::uint32_t seed) {
  NeighborBuffers send(graph.destinations, lengths), receive(graph.sources, lengths);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    send.set_length(edge.from, edge.out, length_of(i, lengths));
    receive.set_length(edge.to, edge.in, length_of(i, lengths));
  }
  NeighborBuffers expected = receive;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    send.fill(graph.edges[i].from, graph.edges[i].out, static_cast<int>(i * 3));
    expected.fill(graph.edges[i].to, graph.edges[i].in, static_cast<int>(i * 3));
  }
  const Around around(graph);
  std::vector<Arguments> arguments;
  for (int member = 0; member < graph.members(); ++member) {
    arguments.push_back(
        {.send = send.blocks(member), .receive = receive.blocks(member), .neighbours = around.of(member)});
  }
  run_all(algorithm, arguments, seed);
  ASSERT_EQ(receive.bytes(), expected.bytes());
}

void check_allgather(Run algorithm, const Graph& graph, BlockLengths lengths, std::uint32_t seed) {
  NeighborBuffers own(std::vector(graph.sources.size(), std::vector<int>(1)), lengths), receive(graph.sources, lengths);
  for (int member = 0; member < graph.members(); ++member) {
    own.set_length(member, 0, length_of(static_cast<std::size_t>(member), lengths));
    own.fill(member, 0, member * 7);
  }
  for (const Edge& edge : graph.edges)
    receive.set_length(edge.to, edge.in, length_of(static_cast<std::size_t>(edge.from), lengths));
  NeighborBuffers expected = receive;
  for (const Edge& edge : graph.edges) expected.fill(edge.to, edge.in, edge.from * 7);
  const Around around(graph);
  std::vector<Arguments> arguments;
  for (int member = 0; member < graph.members(); ++member) {
    arguments.push_back(
        {.input = own.blocks(member)[0], .receive = receive.blocks(member), .neighbours = around.of(member)});
  }
  run_all(algorithm, arguments, seed);
  ASSERT_EQ(receive.bytes(), expected.bytes());
}

/// No edges, few, and so many that a member has more neighbours than are served at a time; grids; tori.
template <class Check>
void on_every_graph(Check check) {
  for (const std::uint32_t seed : test::seeds()) {
    std::mt19937 random(seed);
    for (const int members : {1, 2, 3, 7, 16}) {
      for (const int edges : {0, 1, members, 5 * members, 40 * members}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(members) + " members, " +
                     std::to_string(edges) + " edges");
        check(random_graph(members, edges, random), BlockLengths::different, seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    for (const std::vector<int>& dims : {std::vector{1},
                                         {2},
                                         {5},
                                         {1, 1},
                                         {1, 2},
                                         {2, 2},
                                         {3, 1},
                                         {2, 5},
                                         {3, 4},
                                         {1, 1, 1},
                                         {2, 1, 3},
                                         {2, 2, 2},
                                         {3, 3, 2},
                                         {1, 2, 1, 3},
                                         {2, 2, 2, 2},
                                         {2, 3, 1, 4}}) {
      for (const bool periodic : {true, false}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", a grid of " + testing::PrintToString(dims));
        for (const BlockLengths lengths : {BlockLengths::alike, BlockLengths::different})
          check(grid(dims, periodic), lengths, seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    for (const std::vector<int>& dims : {std::vector{5}, {1}, {2, 2}, {4, 3}, {2, 1, 3}, {3, 3, 3}}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", a torus of " + testing::PrintToString(dims));
      std::vector<int> any(dims.size() * 9);
      for (int& offset : any) offset = static_cast<int>(random() % 7) - 3;
      check(stencil(dims, surroundings(dims.size())), BlockLengths::alike, seed);
      check(stencil(dims, any), BlockLengths::alike, seed);
      check(stencil(dims, any), BlockLengths::different, seed);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class NeighborAlltoall : public testing::TestWithParam<const Algorithm*> {};

TEST_P(NeighborAlltoall, BringsEveryBlockAlongItsEdge) {
  on_every_graph([](const Graph& graph, BlockLengths lengths, std::uint32_t seed) {
    check_alltoall(GetParam()->run, graph, lengths, seed);
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, NeighborAlltoall, testing::ValuesIn(all_of(Operation::neighbor_alltoall)),
                         name_of_algorithm);

class NeighborAllgather : public testing::TestWithParam<const Algorithm*> {};

TEST_P(NeighborAllgather, BringsOneBlockAlongEveryEdge) {
  on_every_graph([](const Graph& graph, BlockLengths lengths, std::uint32_t seed) {
    check_allgather(GetParam()->run, graph, lengths, seed);
  });
}

INSTANTIATE_TEST_SUITE_P(Registered, NeighborAllgather, testing::ValuesIn(all_of(Operation::neighbor_allgather)),
                         name_of_algorithm);

TEST(NeighborTransfers, CombiningTakesTwoPerDimension) {
  for (const std::size_t dimensions : {1, 2, 3}) {
    const Graph graph = stencil(std::vector<int>(dimensions, 3), surroundings(dimensions));
    const Around around(graph);
    NeighborBuffers send(graph.destinations, BlockLengths::alike), receive(graph.sources, BlockLengths::alike);
    std::vector<Arguments> arguments;
    for (int member = 0; member < graph.members(); ++member) {
      arguments.push_back({.input = send.blocks(member)[0],
                           .send = send.blocks(member),
                           .receive = receive.blocks(member),
                           .neighbours = around.of(member)});
    }
    for (const auto run : {neighbor_alltoall_combining, neighbor_allgather_combining}) {
      for (const int sends : run_all(run, arguments, 1)) EXPECT_EQ(sends, 2 * static_cast<int>(dimensions));
    }
    for (const int sends : run_all(neighbor_alltoall_linear, arguments, 1)) {
      EXPECT_EQ(sends, static_cast<int>(surroundings(dimensions).size() / dimensions));
    }
  }
}

}  // namespace
}  // namespace bowline::coll
