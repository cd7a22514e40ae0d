// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/info/transports_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "launcher/info/doctor.hpp"
#include "runtime/networks.hpp"
#include "verbs/verbs_network.hpp"

namespace bowline::launcher {
namespace {

void print_line(std::string_view name, std::string_view text) {
  fmt::print("  {:<8}  {}\n", name, text);
}

/// Prints whether and how ranks of other nodes can be reached over this network. Returns whether they can.
bool print_network(const transport::NetworkKind& kind) {
  try {
    const auto network = kind.make(1, transport::Reach::other_nodes);
    print_line(kind.name, network->through_kernel() ? "ready: through the kernel, for want of an RDMA adapter"
                                                    : "ready: with an RDMA adapter");
    return true;
  } catch (const Error& error) {
    print_line(kind.name, fmt::format("cannot be used: {}", error.what()));
    return false;
  }
}

bool is_wanted(std::string_view network) {
  return std::ranges::any_of(runtime::network_kinds(), [&](const auto& kind) { return kind.name == network; });
}

/// Prints the line of RDMA adapters that Bowline uses by itself, if they are not among the networks to use.
void print_verbs_unused() {
  print_line(verbs::network_kind.name, verbs::may_have_adapters() ? "not used: BOWLINE_NETWORK=ucx"
                                                                  : "not used: there is no RDMA adapter (no uverbs* in "
                                                                    "/sys/class/infiniband_verbs)");
}

}  // namespace

void print_transports() {
  const auto findings = examine_node();
  const auto memory =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.what == "shared memory"; });
  fmt::print("transports\n");
  print_line("self", "ready");
  print_line(
      "shm",
      fmt::format("{}{}", memory->verdict == Finding::Verdict::good ? "ready: " : "cannot be used: ", memory->detail));
  if (!is_wanted(verbs::network_kind.name)) print_verbs_unused();
  bool others_reached = false;
  for (const auto& kind : runtime::network_kinds()) {
    const bool usable = print_network(kind);
    others_reached = others_reached || usable;
    if (!usable || kind.name != verbs::network_kind.name) continue;
    for (const std::string& port : verbs::describe_ports()) print_line("", port);
  }
  if (!others_reached) fmt::print("  No network can be used, so all ranks of a job must be on one node.\n");
}

}  // namespace bowline::launcher
