// SPDX-License-Identifier: BSD-3-Clause
// NodeWatch: which nodes do not answer any more. A network may report that late or never: an adapter only when
// something is sent, TCP after a quarter of an hour while something is under way. In jobs that go on without lost ranks
// each process therefore keeps a connection (keepalive.hpp) to one process of each node with which it has made contact.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/node_watch/keepalive.hpp"

namespace bowline::runtime {

/// Thread-safe.
class NodeWatch {
 public:
  /// The address of this process for others.
  std::vector<std::byte> address() const { return listener_.address().bytes(); }

  /// This process makes contact with a process of another node that has this address. Throws Error, and
  /// std::bad_alloc.
  void add(int process, std::span<const std::byte> address);
  /// Looks at all nodes, but not sooner than 100 ms after the last time. Returns whether one of them has
  /// ever been found silent.
  bool look() noexcept;
  /// Whether the node of this process is silent: for good, even if it answers again.
  bool is_silent(int process) const noexcept;
  /// "its node has not answered for 3 s".
  static std::string why();

 private:
  struct Node {
    std::vector<std::string> hosts;
    std::vector<std::uint16_t> ports{};  ///< of its processes
    std::size_t tried = 0;               ///< how many of the ports were tried
    std::vector<Keepalive> connections{};
    bool is_silent = false;
  };
  /// By the node's addresses, in one text.
  using Nodes = std::map<std::string, Node>;

  void look_at(Node& node);
  void connect(Node& node);

  KeepaliveListener listener_;
  mutable std::mutex mutex_;  ///< guards what follows
  Nodes nodes_;
  std::map<int, Nodes::iterator> of_process_;
  bool any_silent_ = false;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace bowline::runtime
