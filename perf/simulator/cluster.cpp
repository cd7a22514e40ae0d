// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/cluster.hpp"

#include <algorithm>

#include "node/placement.hpp"

namespace bowline::sim {
namespace {

int divide_up(int total, int parts) {
  return (total + parts - 1) / parts;
}

}  // namespace

Parameters default_parameters() {
  Parameters made;
  made.at(Level::cache) = {.latency = 100, .send = 60, .receive = 60, .copy_in = 0.08, .copy_out = 0.08, .eager = 8192};
  made.at(Level::socket) = {.latency = 180, .send = 60, .receive = 60, .copy_in = 0.1, .copy_out = 0.1, .eager = 8192};
  made.at(Level::node) = {.latency = 350, .send = 60, .receive = 60, .copy_in = 0.12, .copy_out = 0.12, .eager = 8192};
  made.at(Level::leaf_switch) = {.latency = 900,
                                 .send = 150,
                                 .receive = 150,
                                 .gap = 10,
                                 .byte = 0.04,
                                 .copy_in = 0.05,
                                 .copy_out = 0.05,
                                 .eager = 8192};
  made.at(Level::switch_group) = made.at(Level::leaf_switch);
  made.at(Level::switch_group).latency = 1300;
  made.at(Level::system) = made.at(Level::leaf_switch);
  made.at(Level::system).latency = 1700;
  made.combine = 0.1;
  made.copy = 0.08;
  made.change = 1500;
  return made;
}

Cluster::Cluster(const Parameters& parameters, int nodes, int ranks_per_node, Placement placement)
    : parameters_(parameters),
      nodes_(nodes),
      per_node_(ranks_per_node),
      placement_(placement),
      cores_(parameters.cores_per_node == 0 ? ranks_per_node : std::min(parameters.cores_per_node, ranks_per_node)),
      per_cache_(divide_up(cores_, parameters.sockets_per_node * parameters.caches_per_socket)),
      per_socket_(per_cache_ * parameters.caches_per_socket) {}

/// Ranks that share cores take their places as the library's do.
int Cluster::core_in_node(int rank) const noexcept {
  if (!cores_are_shared()) return local(rank);
  return static_cast<int>(
      node::preferred_core(static_cast<std::size_t>(local(rank)), static_cast<std::size_t>(cores_)));
}

int Cluster::core(int rank) const noexcept {
  return node(rank) * cores_ + core_in_node(rank);
}

Level Cluster::between(int rank, int other) const noexcept {
  const int here = node(rank);
  const int there = node(other);
  if (here == there) {
    if (cache(rank) == cache(other)) return Level::cache;
    return socket(rank) == socket(other) ? Level::socket : Level::node;
  }
  const int leaf = parameters_.nodes_per_switch;
  if (here / leaf == there / leaf) return Level::leaf_switch;
  const int group = leaf * parameters_.switches_per_group;
  return here / group == there / group ? Level::switch_group : Level::system;
}

int Cluster::unit(Level level, int rank) const {
  const int here = node(rank);
  switch (level) {
    case Level::cache:
      return here * parameters_.sockets_per_node * parameters_.caches_per_socket + cache(rank);
    case Level::socket:
      return here * parameters_.sockets_per_node + socket(rank);
    case Level::node:
      return here;
    case Level::leaf_switch:
      return here / parameters_.nodes_per_switch;
    case Level::switch_group:
      return here / (parameters_.nodes_per_switch * parameters_.switches_per_group);
    default:
      return 0;
  }
}

}  // namespace bowline::sim
