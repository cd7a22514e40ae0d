// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "runtime/report/report.hpp"
#include "transport/addresses.hpp"
#include "transport/faulty.hpp"
#include "ucx/ucx_network.hpp"
#include "verbs/verbs_network.hpp"

namespace bowline::runtime {
namespace {

Tunable<std::size_t> faults_seed(
    TunableTraits(Category::networks).for_developers(), "inject_faults", 0, 0, (std::size_t{1} << 32) - 1,
    "for tests: the seed of random faults between nodes. Messages are held back, overtaken by those of other ranks, or "
    "refused at first and sent again; all arrive. 0: no faults");

ChoiceTunable network_choice(
    TunableTraits(Category::networks).for_users(), "network", {"auto", "verbs", "ucx"},
    "what carries messages to ranks on other nodes: verbs, RDMA adapters that Bowline uses by itself; ucx, UCX; auto: "
    "verbs where both ranks have an active port on the same fabric, otherwise UCX");

constexpr std::array kinds_of_this_build{verbs::network_kind, ucx::network_kind};

/// The seed of one device's faults, different for each rank, lane and network.
std::uint32_t seed_of(int rank, unsigned lane, std::size_t network) {
  std::seed_seq mixture{static_cast<std::size_t>(faults_seed.value()), static_cast<std::size_t>(rank),
                        std::size_t{lane}, network};
  std::array<std::uint32_t, 1> seed{};
  mixture.generate(seed.begin(), seed.end());
  return seed[0];
}

}  // namespace

std::span<const transport::NetworkKind> network_kinds() noexcept {
  const std::string_view chosen = network_choice.value();
  const std::span<const transport::NetworkKind> all(kinds_of_this_build);
  if (chosen == "verbs") return all.first(1);
  return chosen == "ucx" || !verbs::may_have_adapters() ? all.subspan(1) : all;
}

Networks::Networks(std::span<const transport::NetworkKind> kinds, transport::Reach reach, unsigned lanes, int rank,
                   int ranks, const std::string& host, transport::DescriptorSleeper& sleeper)
    : lanes_(lanes) {
  std::optional<Error> why_not;
  for (const transport::NetworkKind& kind : kinds) {
    try {
      attach(kind, reach, rank, ranks, host);
    } catch (const Error& error) {
      log::info("the network {} cannot be used: {}", kind.name, error.what());
      if (!why_not.has_value()) why_not = error;
    }
  }
  if (attached_.empty()) throw Error(*why_not);
  for (const auto& ports : lanes_) {
    for (const Port& port : ports) sleeper.watch(port.device->descriptor());
  }
}

/// Makes the network and its devices of all lanes, or throws Error and changes nothing.
void Networks::attach(const transport::NetworkKind& kind, transport::Reach reach, int rank, int ranks,
                      const std::string& host) {
  const auto lanes = static_cast<unsigned>(lanes_.size());
  std::unique_ptr<transport::Network> network = kind.make(lanes, reach);
  std::vector<Port> ports(lanes);  // goes before the network
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Port& port = ports[lane];
    port.device = network->make_device(rank, ranks, host);
    if (faults_seed.value() == 0) continue;
    port.beneath_faults = std::move(port.device);
    port.device =
        std::make_unique<transport::FaultyDevice>(*port.beneath_faults, seed_of(rank, lane, attached_.size()));
  }
  attached_.reserve(attached_.size() + 1);
  for (auto& of_lane : lanes_) of_lane.reserve(of_lane.size() + 1);
  attached_.push_back({kind.name, std::move(network)});
  for (unsigned lane = 0; lane < lanes; ++lane) lanes_[lane].push_back(std::move(ports[lane]));
}

transport::Address Networks::address(unsigned lane) const {
  transport::Address all;
  for (std::size_t network = 0; network < attached_.size(); ++network) {
    transport::add_address(all, attached_[network].name, lanes_[lane][network].device->address());
  }
  return all;
}

void Networks::add_devices(unsigned lane, proto::Engine& engine) {
  for (const Port& port : lanes_[lane]) engine.add_device(*port.device);
}

void Networks::known_as(unsigned lane, int peer, int self) noexcept {
  for (const Port& port : lanes_[lane]) port.device->known_as(peer, self);
}

std::unique_ptr<transport::Endpoint> Networks::connect(unsigned lane, int rank, std::span<const std::byte> addresses) {
  for (std::size_t network = 0; network < attached_.size(); ++network) {
    const auto address = transport::find_address(addresses, attached_[network].name);
    if (!address.has_value()) continue;
    transport::Device& device = *lanes_[lane][network].device;
    if (!device.reaches(*address)) continue;
    const std::string adapters = attached_[network].network->adapters();
    return Report::counted(rank, adapters.empty() ? std::string(attached_[network].name) : adapters,
                           device.connect(rank, transport::Address(address->begin(), address->end())));
  }
  throw Error(ErrorClass::other, fmt::format("{} has none of the networks of this rank ({}): start it on a node "
                                             "that has one of them",
                                             process_name(rank), names()));
}

bool Networks::through_kernel() const noexcept {
  return std::ranges::any_of(attached_, [](const Attached& each) { return each.network->through_kernel(); });
}

transport::RemoteAccess Networks::atomics() const noexcept {
  if (attached_.empty()) return transport::RemoteAccess::none;
  auto least = attached_.front().network->atomics();
  for (const Attached& each : attached_) least = std::min(least, each.network->atomics());
  return least;
}

unsigned Networks::atomic_lengths() const noexcept {
  unsigned lengths = ~0U;
  for (const Attached& each : attached_) lengths &= each.network->atomic_lengths();
  return lengths;
}

bool Networks::lost_peers() const noexcept {
  return std::ranges::any_of(lanes_, [](const auto& ports) {
    return std::ranges::any_of(ports, [](const Port& port) { return port.device->lost_peers() > 0; });
  });
}

std::string Networks::names() const {
  std::string all;
  for (const Attached& each : attached_) all += fmt::format("{}{}", all.empty() ? "" : ", ", each.name);
  return all;
}

}  // namespace bowline::runtime
