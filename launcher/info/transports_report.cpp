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

/// Whether and how ranks of other nodes can be reached, in words.
std::string about_network(const transport::NetworkKind& kind) {
  try {
    return kind.make(1, transport::Reach::other_nodes)->through_kernel()
               ? "ready: through the kernel, for want of an RDMA adapter"
               : "ready: with an RDMA adapter";
  } catch (const Error& error) {
    return fmt::format("cannot be used, so all ranks of a job must be on one node: {}", error.what());
  }
}

void print_line(std::string_view name, std::string_view text) {
  fmt::print("  {:<8}  {}\n", name, text);
}

bool is_wanted(std::string_view network) {
  return std::ranges::any_of(runtime::network_kinds(), [&](const auto& kind) { return kind.name == network; });
}

/// RDMA adapters that Bowline uses by itself.
void print_verbs() {
  const std::string_view name = verbs::network_kind.name;
  if (!is_wanted(name)) {
    return print_line(name, verbs::may_have_adapters()
                                ? "not used: BOWLINE_NETWORK=ucx"
                                : "not used: there is no RDMA adapter (no uverbs* in /sys/class/infiniband_verbs)");
  }
  try {
    verbs::network_kind.make(1, transport::Reach::other_nodes);
    print_line(name, "ready: with an RDMA adapter");
    for (const std::string& port : verbs::describe_ports()) print_line("", port);
  } catch (const Error& error) {
    print_line(name, fmt::format("cannot be used: {}", error.what()));
  }
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
  print_verbs();
  for (const auto& kind : runtime::network_kinds()) {
    if (kind.name != verbs::network_kind.name) print_line(kind.name, about_network(kind));
  }
}

}  // namespace bowline::launcher
