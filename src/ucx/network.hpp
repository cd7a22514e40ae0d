// SPDX-License-Identifier: BSD-3-Clause
// Network: the way to other nodes, as the layers above see it. A build without UCX has it, too, and says so when it is
// asked for (network_absent.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "transport/transport.hpp"

namespace bowline::ucx {

class Network {
 public:
  virtual ~Network() = default;
  /// The device of one lane. `rank`: this process's world rank, of so many; `host`: its host's name, which peers are
  /// told. The network must outlive its devices. Throws Error.
  virtual std::unique_ptr<transport::Device> make_device(int rank, int ranks, const std::string& host) = 0;
  /// Whether messages pass through the kernel: this node has no adapter that processes use by themselves.
  virtual bool through_kernel() const noexcept = 0;
};

/// Which peers messages go to.
enum class Reach : std::uint8_t {
  other_nodes,  ///< those of this node have a better way, as a rule: UCX's own shared memory is left away
  everywhere
};

/// Loads and initializes UCX for so many lanes. Throws Error (MPI_ERR_OTHER) that says what is missing.
std::unique_ptr<Network> make_network(unsigned lanes, Reach reach);

/// What endpoints between nodes can do by default, for whoever explains the protocols; nothing in a build without UCX.
transport::Limits default_limits() noexcept;

}  // namespace bowline::ucx
