// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "transport/striping/striped_device.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_port.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

/// Opens the chosen ports, which stand first. Does without a further port that cannot be opened. Throws Error.
std::vector<std::unique_ptr<Adapter>> open_chosen(std::span<const Port> ports) {
  const auto chosen = static_cast<std::size_t>(std::ranges::count_if(ports, &Port::chosen));
  std::vector<std::unique_ptr<Adapter>> adapters;
  for (const Port& port : ports.first(chosen)) {
    try {
      adapters.push_back(
          std::make_unique<Adapter>(port, adapters.empty() ? Role::everything : Role::transfers, chosen));
    } catch (const Error& error) {
      if (adapters.empty()) throw;
      log::warning("long messages do without the RDMA adapter {}: {}", port.device, error.what());
    }
  }
  return adapters;
}

class VerbsNetwork final : public transport::Network {
 public:
  explicit VerbsNetwork(std::span<const Port> ports) : adapters_(open_chosen(ports)) {}
  std::unique_ptr<transport::Device> make_device(int rank, int ranks, const std::string& host) override {
    std::vector<std::unique_ptr<transport::Device>> rails;
    for (const auto& adapter : adapters_) rails.push_back(std::make_unique<VerbsDevice>(*adapter, rank, ranks, host));
    if (rails.size() == 1) return std::move(rails.front());
    return std::make_unique<transport::StripedDevice>(std::move(rails),
                                                      transport::StripingLimits{.from = stripe_from.value()});
  }
  bool through_kernel() const noexcept override { return false; }
  std::string adapters() const override {
    std::string names;
    for (const auto& adapter : adapters_) names += (names.empty() ? "" : " and ") + adapter->name();
    return names;
  }
  transport::RemoteAccess atomics() const noexcept override {
    return verbs_limits(0, adapters_.front()->has_atomics()).atomics;
  }
  unsigned atomic_lengths() const noexcept override { return shortest_atomic; }

 private:
  std::vector<std::unique_ptr<Adapter>> adapters_;  ///< the adapter for everything comes first
};

std::string_view in_words(Fabric fabric) noexcept {
  switch (fabric) {
    case Fabric::infiniband:
      return "InfiniBand";
    case Fabric::roce_v1:
      return "RoCE v1";
    case Fabric::roce_v2:
      return "RoCE v2";
    case Fabric::iwarp:
      return "iWARP";
  }
  return "";
}

std::string in_one_line(const Port& port) {
  const std::string kind = port.unusable.empty() ? fmt::format(" ({})", in_words(port.address.fabric)) : "";
  const std::string gid = port.gid_index > 0 ? fmt::format(", GID index {}", port.gid_index) : "";
  const std::string distance = port.distance > 0 ? fmt::format(", NUMA distance {}", port.distance) : "";
  const std::string manager =
      port.connecting == Connecting::direct ? "" : fmt::format(", librdmacm at {}", address_text(port.interface));
  return fmt::format("{}{}{}{}{}: {}", to_text(port), kind, gid, manager, distance, port.verdict);
}

}  // namespace

std::unique_ptr<transport::Network> make_network(unsigned, transport::Reach) {
  const std::vector<Port> ports = survey_ports();
  if (!ports.empty() && ports.front().chosen) return std::make_unique<VerbsNetwork>(ports);
  std::string found;
  for (const Port& port : ports) found += fmt::format("; {}", in_one_line(port));
  throw Error(ErrorClass::other, fmt::format("this node has no RDMA adapter with an active port{}: load its driver and "
                                             "bring its link up, or set BOWLINE_NETWORK=ucx",
                                             found.empty() ? " (libibverbs lists none)" : found));
}

transport::Limits default_limits() noexcept {
  return verbs_limits(0, false);
}

bool may_have_adapters() noexcept {
  return kernel_has_adapters();
}

std::vector<std::string> describe_ports() {
  const std::vector<Port> ports = survey_ports();
  std::vector<std::string> lines;
  std::ranges::transform(ports, std::back_inserter(lines), in_one_line);
  return lines;
}

}  // namespace bowline::verbs
