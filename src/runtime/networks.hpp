// SPDX-License-Identifier: BSD-3-Clause
// Networks: all networks by which this process reaches other nodes. A new kind of network is one more line of the list
// in networks.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/engine.hpp"
#include "transport/descriptor_sleeper.hpp"
#include "transport/network.hpp"
#include "transport/transport.hpp"

namespace bowline::runtime {

/// The kinds of networks to use on this node, given the tunable `network`, the preferred one first. They may turn out
/// to be unusable.
std::span<const transport::NetworkKind> network_kinds() noexcept;

class Networks {
 public:
  /// Makes every kind of `kinds` that can be used on this node, for `lanes` lanes. `rank`: this process's world rank;
  /// `ranks`: the size of the world; `host`: this host's name. `sleeper` wakes the process when something arrives over
  /// one of the networks; the sleeper must outlive the networks. Throws Error if no kind can be used; the error says
  /// why the preferred one cannot.
  Networks(std::span<const transport::NetworkKind> kinds, transport::Reach reach, unsigned lanes, int rank, int ranks,
           const std::string& host, transport::DescriptorSleeper& sleeper);

  /// The addresses of the devices of a lane, for the peers (transport/addresses.hpp).
  transport::Address address(unsigned lane) const;
  /// A process of another job knows this process by the index `self`. Called under the lane's lock.
  void known_as(unsigned lane, int peer, int self) noexcept;
  /// Makes the engine of a lane poll the devices of that lane.
  void add_devices(unsigned lane, proto::Engine& engine);
  /// Connects to a peer that has published `addresses`, over the first network that joins both processes. Throws Error
  /// if there is none; NotYet if another attempt may succeed.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int rank, std::span<const std::byte> addresses);
  /// Whether messages of one of the networks pass through the kernel, so that each poll is a system call.
  bool through_kernel() const noexcept;
  /// What all networks do for atomic operations on the memory of peers.
  transport::RemoteAccess atomics() const noexcept;
  /// The lengths of the numbers that all networks update; see Network::atomic_lengths().
  unsigned atomic_lengths() const noexcept;
  /// Whether one of the networks has lost a peer.
  bool lost_peers() const noexcept;

 private:
  void attach(const transport::NetworkKind& kind, transport::Reach reach, int rank, int ranks, const std::string& host);

  struct Attached {
    std::string_view name;
    std::unique_ptr<transport::Network> network;
  };
  /// The device of one network in one lane.
  struct Port {
    std::unique_ptr<transport::Device> beneath_faults;  ///< the real device, if faults are injected
    std::unique_ptr<transport::Device> device;
  };

  std::string names() const;

  std::vector<Attached> attached_;        ///< the preferred network first; the networks outlive their devices
  std::vector<std::vector<Port>> lanes_;  ///< by lane, then as in `attached_`
};

}  // namespace bowline::runtime
