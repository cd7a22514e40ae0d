// SPDX-License-Identifier: BSD-3-Clause
// Network: one way to other nodes, as the layers above see it. A process may have several: each peer is reached through
// the first one in the process's list that both sides have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::transport {

class Network {
 public:
  virtual ~Network() = default;
  /// The device of one lane. `rank`: this process's world rank, of so many; `host`: its host's name, which peers are
  /// told. The network must outlive its devices. Throws Error.
  virtual std::unique_ptr<Device> make_device(int rank, int ranks, const std::string& host) = 0;
  /// Whether messages pass through the kernel: this node has no adapter that processes use by themselves.
  virtual bool through_kernel() const noexcept = 0;
};

/// Which peers messages go to.
enum class Reach : std::uint8_t {
  other_nodes,  ///< ranks of this node have a better way, as a rule: a network's own shared memory is left away
  everywhere
};

/// A kind of network that this build knows. Static data, for any thread.
struct NetworkKind {
  std::string_view name;  ///< at most 255 characters; peers find each other's devices by it
  /// Loads and initializes what the network needs, for so many lanes. Throws Error (MPI_ERR_OTHER) that says what is
  /// missing.
  std::unique_ptr<Network> (*make)(unsigned lanes, Reach reach);
  /// What endpoints between nodes can do by default, for a program that explains the protocols; nothing (max_body is 0)
  /// in a build without this kind.
  Limits (*default_limits)() noexcept;
};

}  // namespace bowline::transport
