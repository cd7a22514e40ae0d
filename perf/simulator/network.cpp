// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/network.hpp"

#include <algorithm>

namespace bowline::sim {

Network::Network(const Cluster& cluster) : cluster_(cluster) {
  const Parameters& machine = cluster.parameters();
  const auto up = [](int total, int each) { return static_cast<std::size_t>((total + each - 1) / each); };
  const auto nodes = static_cast<std::size_t>(cluster.nodes());
  const std::size_t leaves = up(cluster.nodes(), machine.nodes_per_switch);
  const std::size_t groups = up(static_cast<int>(leaves), machine.switches_per_group);
  of(Kind::adapter_out).resize(nodes);
  of(Kind::adapter_in).resize(nodes);
  if (machine.switches == Switches::fat_tree) {
    const std::size_t leaf_links = leaves * static_cast<std::size_t>(machine.uplinks_per_switch);
    const std::size_t group_links = groups * static_cast<std::size_t>(machine.uplinks_per_group);
    of(Kind::leaf_up).resize(leaf_links);
    of(Kind::leaf_down).resize(leaf_links);
    of(Kind::group_up).resize(group_links);
    of(Kind::group_down).resize(group_links);
  } else {
    const auto in_group = static_cast<std::size_t>(machine.switches_per_group);
    of(Kind::local).resize(groups * in_group * in_group);
    of(Kind::global).resize(groups * groups);
  }
}

/// Adapters have the costs of messages within a switch, links within a group those of a group, others the system's.
const Costs& Network::costs(Kind kind) const noexcept {
  switch (kind) {
    case Kind::adapter_out:
    case Kind::adapter_in:
      return cluster_.parameters().at(Level::leaf_switch);
    case Kind::leaf_up:
    case Kind::leaf_down:
    case Kind::local:
      return cluster_.parameters().at(Level::switch_group);
    default:
      return cluster_.parameters().at(Level::system);
  }
}

void Network::add_fat_tree(Route& route, int from, int to) const {
  const Parameters& machine = cluster_.parameters();
  const int from_leaf = from / machine.nodes_per_switch;
  const int to_leaf = to / machine.nodes_per_switch;
  const int from_group = from_leaf / machine.switches_per_group;
  const int to_group = to_leaf / machine.switches_per_group;
  if (from_leaf == to_leaf) return;
  const int leaf_links = machine.uplinks_per_switch;
  const int group_links = machine.uplinks_per_group;
  route.add(Kind::leaf_up, from_leaf * leaf_links + to % leaf_links);
  if (from_group != to_group) {
    route.add(Kind::group_up, from_group * group_links + to % group_links);
    route.add(Kind::group_down, to_group * group_links + from % group_links);
  }
  route.add(Kind::leaf_down, to_leaf * leaf_links + from % leaf_links);
}

void Network::add_dragonfly(Route& route, int from, int to) const {
  const Parameters& machine = cluster_.parameters();
  const int in_group = machine.switches_per_group;
  const int from_switch = from / machine.nodes_per_switch;
  const int to_switch = to / machine.nodes_per_switch;
  const int from_group = from_switch / in_group;
  const int to_group = to_switch / in_group;
  const auto add_local = [&](int group, int one, int other) {
    if (one != other) route.add(Kind::local, (group * in_group + one) * in_group + other);
  };
  if (from_group == to_group) return add_local(from_group, from_switch % in_group, to_switch % in_group);
  // The link to a group leaves from the switch whose number it has, modulo how many there are.
  const int groups =
      (cluster_.nodes() + machine.nodes_per_switch * in_group - 1) / (machine.nodes_per_switch * in_group);
  add_local(from_group, from_switch % in_group, to_group % in_group);
  route.add(Kind::global, from_group * groups + to_group);
  add_local(to_group, from_group % in_group, to_switch % in_group);
}

Network::Route Network::route(int from, int to) const {
  Route made;
  made.add(Kind::adapter_out, from);
  if (cluster_.parameters().switches == Switches::fat_tree) {
    add_fat_tree(made, from, to);
  } else {
    add_dragonfly(made, from, to);
  }
  made.add(Kind::adapter_in, to);
  return made;
}

Network::Passage Network::carry(Time time, int from_node, int to_node, std::size_t bytes) {
  const Route way = route(from_node, to_node);
  Passage passage{time, time};
  Time head = time;  // switches pass a message on while it comes in
  for (unsigned hop = 0; hop < way.length; ++hop) {
    const auto [kind, number] = way.hops[hop];
    Link& link = of(kind)[number];
    const Costs& cost = costs(kind);
    const Time carrying = picoseconds(cost.byte * static_cast<double>(bytes));
    const Time occupied = std::max(picoseconds(cost.gap), carrying);
    head = std::max(head, link.free);
    link.free = head + occupied;
    link.occupied += occupied;
    ++link.messages;
    passage.passed = std::max(passage.passed, head + carrying);
    if (hop == 0) passage.left = head + carrying;
  }
  return passage;
}

LinkLoad Network::load(Kind kind) const {
  LinkLoad load;
  for (const Link& link : links_[static_cast<std::size_t>(kind)]) {
    load.links += link.messages > 0 ? 1 : 0;
    load.most_messages = std::max(load.most_messages, link.messages);
    load.busiest = std::max(load.busiest, static_cast<double>(link.occupied) / 1000);
  }
  return load;
}

}  // namespace bowline::sim
