// SPDX-License-Identifier: BSD-3-Clause
// Network: a network between nodes, as the layers above see it. A process may use several: it reaches each peer through
// the first one in its list that both sides have.
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
  /// Makes the device of one lane. `rank`: this process's world rank; `ranks`: the size of the world; `host`: this
  /// host's name, which peers show in error messages. The network must outlive its devices. Throws Error.
  virtual std::unique_ptr<Device> make_device(int rank, int ranks, const std::string& host) = 0;
  /// Whether messages pass through the kernel, because this node has no adapter that processes can use without the
  /// kernel.
  virtual bool through_kernel() const noexcept = 0;
  /// The adapters in use, in words for a report; empty: the network's library chooses them.
  virtual std::string adapters() const { return {}; }
  /// What the network's endpoints do for atomic operations on opened memory (Limits::atomics).
  virtual RemoteAccess atomics() const noexcept { return RemoteAccess::none; }
  /// The lengths in bytes of the numbers that atomic operations update, each of which is a power of two, added up.
  virtual unsigned atomic_lengths() const noexcept { return 4 + 8; }
};

/// The peers that a network serves.
enum class Reach : std::uint8_t {
  other_nodes,  ///< without the network's own shared memory: ranks of one node normally use Bowline's
  everywhere
};

/// A kind of network that this build supports. Static data, for any thread.
struct NetworkKind {
  std::string_view name;  ///< at most 255 characters; peers find each other's devices by the name
  /// Loads and initializes what the network needs, for `lanes` lanes. Throws Error (MPI_ERR_OTHER) that names what is
  /// missing.
  std::unique_ptr<Network> (*make)(unsigned lanes, Reach reach);
  /// The default limits of endpoints between nodes, for programs that describe the protocols. `max_body` is 0 in a
  /// build without this kind.
  Limits (*default_limits)() noexcept;
};

}  // namespace bowline::transport
