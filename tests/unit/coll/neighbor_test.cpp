// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives: random graphs with edges to oneself and several between the same two processes, and grids
// whose dimensions are rings of one and two.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "registered.hpp"
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

/// A grid of rows and columns, periodic or not, in row-major order.
Graph grid(int rows, int columns, bool periodic) {
  Graph graph(rows * columns);
  graph.grid = true;
  const int dims[] = {rows, columns};
  for (int member = 0; member < graph.members(); ++member) {
    for (int dimension = 0; dimension < 2; ++dimension) {
      for (const int step : {-1, 1}) {
        int at[] = {member / columns, member % columns};
        at[dimension] += step;
        const bool outside = at[dimension] < 0 || at[dimension] >= dims[dimension];
        at[dimension] = (at[dimension] + dims[dimension]) % dims[dimension];
        const int other = outside && !periodic ? -1 : at[0] * columns + at[1];
        graph.sources[static_cast<std::size_t>(member)].push_back(other);
        graph.destinations[static_cast<std::size_t>(member)].push_back(other);
        const int out = 2 * dimension + (step + 1) / 2;
        // What leaves through one face of a process enters through the opposite face of the other.
        if (other >= 0) graph.edges.push_back({member, out, other, 2 * dimension + (1 - step) / 2});
      }
    }
  }
  return graph;
}

/// The edges differ in length if the blocks lie by tables, and are of 8 bytes otherwise.
std::size_t length_of(std::size_t edge, bool tables) {
  return tables ? (edge * 5) % 13 : 8;
}

class Buffers {
 public:
  explicit Buffers(const std::vector<std::vector<int>>& neighbours)
      : bytes_(neighbours.size()), tables_(bytes_.size()) {
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
    return Blocks(bytes_[static_cast<std::size_t>(member)].data(), tables_[static_cast<std::size_t>(member)].data());
  }
  const std::vector<std::vector<std::byte>>& bytes() const { return bytes_; }

 private:
  static constexpr std::size_t room = 16;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::vector<Block>> tables_;
};

std::vector<Neighbours> neighbours_of(const Graph& graph) {
  std::vector<Neighbours> neighbours;
  for (std::size_t member = 0; member < graph.sources.size(); ++member) {
    neighbours.push_back({graph.sources[member], graph.destinations[member], graph.grid});
  }
  return neighbours;
}

void check_alltoall(Run algorithm, const Graph& graph, std::uint32_t seed) {
  Buffers send(graph.destinations), receive(graph.sources);
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const Edge& edge = graph.edges[i];
    send.set_length(edge.from, edge.out, length_of(i, true));
    receive.set_length(edge.to, edge.in, length_of(i, true));
  }
  Buffers expected = receive;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    send.fill(graph.edges[i].from, graph.edges[i].out, static_cast<int>(i * 3));
    expected.fill(graph.edges[i].to, graph.edges[i].in, static_cast<int>(i * 3));
  }
  const std::vector<Neighbours> neighbours = neighbours_of(graph);
  std::vector<Arguments> arguments;
  for (int member = 0; member < graph.members(); ++member) {
    arguments.push_back({.send = send.blocks(member),
                         .receive = receive.blocks(member),
                         .neighbours = &neighbours[static_cast<std::size_t>(member)]});
  }
  Model model(graph.members(), seed);
  run_all(model, algorithm, arguments);
  ASSERT_EQ(receive.bytes(), expected.bytes());
}

void check_allgather(Run algorithm, const Graph& graph, std::uint32_t seed) {
  Buffers own(std::vector(graph.sources.size(), std::vector<int>(1))), receive(graph.sources);
  for (int member = 0; member < graph.members(); ++member) {
    own.set_length(member, 0, static_cast<std::size_t>(member % 4));
    own.fill(member, 0, member * 7);
  }
  for (const Edge& edge : graph.edges) receive.set_length(edge.to, edge.in, static_cast<std::size_t>(edge.from % 4));
  Buffers expected = receive;
  for (const Edge& edge : graph.edges) expected.fill(edge.to, edge.in, edge.from * 7);
  const std::vector<Neighbours> neighbours = neighbours_of(graph);
  std::vector<Arguments> arguments;
  for (int member = 0; member < graph.members(); ++member) {
    arguments.push_back({.input = own.blocks(member)[0],
                         .receive = receive.blocks(member),
                         .neighbours = &neighbours[static_cast<std::size_t>(member)]});
  }
  Model model(graph.members(), seed);
  run_all(model, algorithm, arguments);
  ASSERT_EQ(receive.bytes(), expected.bytes());
}

/// No edges, few, and so many that a member has more neighbours than are served at a time.
template <class Check>
void on_every_graph(Check check) {
  for (const std::uint32_t seed : test::seeds()) {
    std::mt19937 random(seed);
    for (const int members : {1, 2, 3, 7, 16}) {
      for (const int edges : {0, 1, members, 5 * members, 40 * members}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(members) + " members, " +
                     std::to_string(edges) + " edges");
        check(random_graph(members, edges, random), seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
    for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 2}, {2, 2}, {3, 1}, {2, 5}, {3, 4}}) {
      for (const bool periodic : {true, false}) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(rows) + " x " + std::to_string(columns));
        check(grid(rows, columns, periodic), seed);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

class NeighborAlltoall : public testing::TestWithParam<Algorithm> {};

TEST_P(NeighborAlltoall, BringsEveryBlockAlongItsEdge) {
  on_every_graph([](const Graph& graph, std::uint32_t seed) { check_alltoall(GetParam().run, graph, seed); });
}

INSTANTIATE_TEST_SUITE_P(Registered, NeighborAlltoall, testing::ValuesIn(algorithms(Operation::neighbor_alltoall)),
                         algorithm_name);

class NeighborAllgather : public testing::TestWithParam<Algorithm> {};

TEST_P(NeighborAllgather, BringsOneBlockAlongEveryEdge) {
  on_every_graph([](const Graph& graph, std::uint32_t seed) { check_allgather(GetParam().run, graph, seed); });
}

INSTANTIATE_TEST_SUITE_P(Registered, NeighborAllgather, testing::ValuesIn(algorithms(Operation::neighbor_allgather)),
                         algorithm_name);

}  // namespace
}  // namespace bowline::coll
