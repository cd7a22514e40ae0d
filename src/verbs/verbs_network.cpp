// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_port.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

class VerbsNetwork final : public transport::Network {
 public:
  explicit VerbsNetwork(const Port& port) : adapter_(port) {}
  std::unique_ptr<transport::Device> make_device(int rank, int ranks, const std::string& host) override {
    return std::make_unique<VerbsDevice>(adapter_, rank, ranks, host);
  }
  bool through_kernel() const noexcept override { return false; }
  transport::RemoteAccess atomics() const noexcept override { return verbs_limits(0, adapter_.has_atomics()).atomics; }
  unsigned atomic_lengths() const noexcept override { return shortest_atomic; }

 private:
  Adapter adapter_;
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
  if (!ports.empty() && ports.front().chosen) return std::make_unique<VerbsNetwork>(ports.front());
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
