// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/node_watch/node_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/log.hpp"
#include "base/tunable.hpp"

namespace bowline::runtime {
namespace {

Tunable<int> node_timeout(
    TunableTraits(Category::losses).for_users().at_any_time(), "node_timeout", 3, 0, 3600,
    "seconds without an answer after which a node counts as lost, in jobs that go on without lost "
    "ranks; less than 2: nodes are not watched");

constexpr int least_timeout = 2;  // the kernel counts probes in whole seconds
constexpr std::chrono::milliseconds between_looks{100};

}  // namespace

void NodeWatch::add(int process, std::span<const std::byte> address) {
  const KeepaliveAddress at = KeepaliveAddress::read(address);
  const std::lock_guard hold(mutex_);
  const auto node = nodes_.try_emplace(fmt::format("{}", fmt::join(at.hosts, " ")), Node{.hosts = at.hosts}).first;
  if (of_process_.insert_or_assign(process, node).second) node->second.ports.push_back(at.port);
}

bool NodeWatch::look() noexcept {
  const std::lock_guard hold(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_ || node_timeout.value() < least_timeout) return any_silent_;
  next_look_ = now + between_looks;
  for (auto& [hosts, node] : nodes_) {
    try {
      if (!node.is_silent) look_at(node);
    } catch (const std::exception& error) {
      log::info("the node with the addresses {} is not watched: {}", hosts, error.what());
    }
  }
  return any_silent_;
}

void NodeWatch::look_at(Node& node) {
  const auto is = [](Keepalive::State state) { return [state](Keepalive& each) { return each.look() == state; }; };
  std::erase_if(node.connections, is(Keepalive::State::closed));
  if (node.connections.empty() && node.tried < node.ports.size()) return connect(node);
  // A node with several networks is reachable while one of them is.
  node.is_silent = std::ranges::any_of(node.connections, is(Keepalive::State::silent)) &&
                   std::ranges::none_of(node.connections, is(Keepalive::State::answers));
  if (!node.is_silent) return;
  any_silent_ = true;
  log::info("the node with the addresses {} has not answered for {} s", fmt::join(node.hosts, " "),
            node_timeout.value());
}

/// Begins to connect to the next of its processes, at all addresses but those that this node has as well: such an
/// address, of a bridge, is no way to another node.
void NodeWatch::connect(Node& node) {
  const std::uint16_t port = node.ports[node.tried++];
  const std::vector<std::string>& own = listener_.address().hosts;
  for (const std::string& host : node.hosts) {
    if (std::ranges::find(own, host) == own.end())
      node.connections.emplace_back(host, port, std::chrono::seconds(node_timeout.value()));
  }
}

bool NodeWatch::is_silent(int process) const noexcept {
  const std::lock_guard hold(mutex_);
  const auto found = of_process_.find(process);
  return found != of_process_.end() && found->second->second.is_silent;
}

std::string NodeWatch::why() {
  return fmt::format("its node has not answered for {} s", node_timeout.value());
}

}  // namespace bowline::runtime
