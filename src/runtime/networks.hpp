// SPDX-License-Identifier: BSD-3-Clause
// Networks: all ways of this process to other nodes. A new kind of network is one more line of the list in
// networks.cpp.
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

/// The kinds of networks that this build knows, the preferred one first.
std::span<const transport::NetworkKind> network_kinds() noexcept;

class Networks {
 public:
  /// Every kind of `kinds` that can be used on this node, for so many lanes of the process with this world rank, of so
  /// many, on this host. `sleeper` wakes the process when something arrives by one of them; it must outlive the
  /// networks. Throws Error if none can be used; it says why the preferred one cannot.
  Networks(std::span<const transport::NetworkKind> kinds, transport::Reach reach, unsigned lanes, int rank, int ranks,
           const std::string& host, transport::DescriptorSleeper& sleeper);

  /// How the peers reach the devices of a lane (transport/addresses.hpp).
  transport::Address address(unsigned lane) const;
  /// Makes the engine of a lane poll the devices of that lane.
  void add_devices(unsigned lane, proto::Engine& engine);
  /// The way to a peer that has published `addresses`: by the first network that both sides have. Throws Error if there
  /// is none, NotYet if another attempt may help.
  std::unique_ptr<transport::Endpoint> connect(unsigned lane, int rank, std::span<const std::byte> addresses);
  /// Whether messages of one of them pass through the kernel, so that to look for messages is a system call.
  bool through_kernel() const noexcept;
  /// Whether one of them knows of a peer that is lost.
  bool lost_peers() const noexcept;

 private:
  struct Attached {
    std::string_view name;
    std::unique_ptr<transport::Network> network;
  };
  /// The device of one network in one lane.
  struct Port {
    std::unique_ptr<transport::Device> beneath_faults;  ///< if faults are injected
    std::unique_ptr<transport::Device> device;
  };

  std::string names() const;

  std::vector<Attached> attached_;        ///< the preferred one first; outlive their devices
  std::vector<std::vector<Port>> lanes_;  ///< by lane, then as in `attached_`
};

}  // namespace bowline::runtime
