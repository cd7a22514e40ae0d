// SPDX-License-Identifier: BSD-3-Clause
// What the self-test does with networks and with all ranks: messages and windows between nodes, files, collectives.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "launcher/selftest/selftest_run.hpp"
#include "launcher/selftest/simulated_times.hpp"
#include "node/host.hpp"

namespace bowline::launcher {
namespace {

constexpr double longest_simulation = 5;  ///< seconds
constexpr double slow_collective = 5;     ///< times what the simulator says
constexpr double least_of_link = 0.3;     ///< part of a link's speed that long messages should reach

constexpr const char* slow_network =
    "is it the right interface (UCX_NET_DEVICES, BOWLINE_VERBS_DEVICE), is the link shared with others or slower than "
    "its ports (ethtool, ibstat), and are cores shared?";
constexpr const char* slow_file =
    "collective accesses need more calls and messages than one process that writes alone: try other hints "
    "(docs/io.md), or another file system";

/// The name of the neighbour or far case in a line.
std::string between_text(const std::string& who, const std::string& what) {
  return fmt::format("{}: {}", who, what);
}

}  // namespace

/// Of the lines "  ucx       ready: through the kernel ..." of bowline-info --transports; on several nodes "3: " is
/// before each.
std::vector<NetworkState> SelftestRun::examine_networks() {
  constexpr double patience = 30;
  static const std::regex form(R"((?:\s*(\d+): )?  (ucx|verbs)\s+(ready|cannot be used): (.*))");
  const std::vector<std::string> program{beside({"bowline-info"}), "--transports"};
  const CommandEnd end = run_command(starter_.nodes().empty() ? program : starter_.on_each_node(program), {}, patience);
  std::vector<NetworkState> found;
  std::istringstream lines(end.output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) continue;
    const auto number = static_cast<std::size_t>(std::atoi(parts[1].str().c_str()));
    found.push_back({number < starter_.nodes().size() ? starter_.nodes()[number] : "", parts[2], parts[3], parts[4]});
  }
  return found;
}

Possible SelftestRun::link() const {
  // An adapter goes before an interface with hardware, and this before a virtual one, whose speed is only a number.
  for (const std::string kind : {"adapter", "interface", "virtual"}) {
    Possible best;
    for (const Link& link : machine_.links)
      if (link.kind == kind && link.rate > best.value)
        best = {link.rate, fmt::format("of {}{}", link.name, kind == "virtual" ? ", a virtual link" : "")};
    if (best.value > 0) return best;
  }
  return {};
}

void SelftestRun::way_between(const std::string& who, Where where, const std::string& way) {
  const std::string what = between_text(who, way == "never" ? "long messages, in pieces" : "long messages, by " + way);
  const auto output =
      run(what, where, {"long_messages"}, {{"BOWLINE_UCX_REMOTE_MEMORY", way}, {"BOWLINE_VERBS_REMOTE_MEMORY", way}});
  if (output) add(judge_rate(what + ", 1 MiB", output->best_rate(long_message), {}, 1, ""));
}

void SelftestRun::between(const std::string& who, Where where) {
  std::optional<PartOutput> output = run(between_text(who, "messages"), where, {"messages"}, {},
                                         "ranks of these nodes cannot reach each other: docs/slurm.md, and "
                                         "bowline-info --transports on both nodes");
  if (!output) return;
  add(judge_time(between_text(who, "eager messages, 8 bytes"), output->time("alone", 8), {}, 1, ""));
  add(judge_time(between_text(who, "eager messages, 8 KiB"), output->time("alone", 8 << 10), {}, 1, ""));
  add(judge_time(between_text(who, "announced messages, 64 KiB"), output->time("alone", 64 << 10), {}, 1, ""));
  add(judge_rate(between_text(who, "long messages, as chosen, 4 MiB"), output->best_rate(4 << 20), link(),
                 least_of_link, slow_network));
  for (const char* const way : {"get", "put", "never"}) way_between(who, where, way);
  window(between_text(who, "window"), where, true, "", {});
  window(between_text(who, "window by messages"), where, true, "messages", {});
  window(between_text(who, "window by adapter"), where, true, "adapter", {});
  far_pair_ = std::move(output);
}

/// One line for all nodes where the network is ready, and one for each node where it is not.
void SelftestRun::add_network(const std::string& name, const std::vector<NetworkState>& states) {
  const auto is_ready = [&name](const NetworkState& one) { return one.name == name && one.state == "ready"; };
  const bool several = starter_.node_count() > 1;
  for (const NetworkState& one : states) {
    if (one.name != name || is_ready(one)) continue;
    add({several ? Grade::failed : Grade::slow,
         fmt::format("network {}{}{}", name, one.node.empty() ? "" : " of ", one.node), one.state, "",
         fmt::format("ranks of other nodes cannot be reached over {}: {}", name, one.detail)});
  }
  const auto ready = std::ranges::count_if(states, is_ready);
  if (ready == 0) return;
  const bool kernel = std::ranges::any_of(
      states, [&](const NetworkState& one) { return is_ready(one) && one.detail.starts_with("through the kernel"); });
  const bool adapter = std::ranges::any_of(machine_.links, [](const Link& one) { return one.kind == "adapter"; });
  add({kernel && adapter ? Grade::slow : Grade::ok,
       several ? fmt::format("network {}, {} nodes", name, ready) : fmt::format("network {}", name),
       kernel ? "TCP" : "RDMA", "",
       "there is an active RDMA adapter, but messages go through the kernel: may this user open "
       "/dev/infiniband/uverbs*, "
       "is its driver installed (ibverbs-providers, ibv_devinfo), and does UCX_TLS or UCX_NET_DEVICES exclude it?"});
}

void SelftestRun::networks() {
  const std::vector<NetworkState> states = examine_networks();
  std::vector<std::string> usable;
  for (const std::string name : {"verbs", "ucx"}) {
    add_network(name, states);
    const auto is_ready = [&name](const NetworkState& one) { return one.name == name && one.state == "ready"; };
    if (std::ranges::any_of(states, is_ready)) usable.push_back(name);
  }
  if (starter_.node_count() > 1) {
    between("neighbours", Where::neighbours);
    if (starter_.node_count() > 2) between("first and last node", Where::far);
    return;
  }
  for (const std::string& name : usable) {
    const std::string what = fmt::format("a node: messages over {}", name);
    const auto output =
        run(what, Where::pair, {"messages"}, {{"BOWLINE_NETWORK", name}, {"BOWLINE_NETWORK_REACH", "everywhere"}});
    if (!output) continue;
    add(judge_time(what + ", 8 bytes", output->time("alone", 8), {}, 1, ""));
    add(judge_rate(what + ", 1 MiB", output->best_rate(long_message), {}, 1, ""));
  }
}

void SelftestRun::files() {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  const auto output = run("a file that all ranks share", Where::all, {"file", folder}, {},
                          fmt::format("is there room in {}, may you write there, and do all nodes see it? Start the "
                                      "self-test from another folder to try that",
                                      folder));
  if (!output) return;
  for (const std::string name : {"write", "read"}) {
    const Possible alone{machine_.rate("file_" + name, 16 << 20).value_or(0), "that one process reaches"};
    double best = 0;
    for (const auto& [what, rate] : output->rates)
      if (what.first == name) best = rate;
    add(judge_rate(fmt::format("all ranks {} one file, collectively", name), best, alone, 0.1, slow_file));
  }
}

void SelftestRun::collective(const PartOutput& output, const std::string& name) {
  SimulatedMachine machine{.nodes = starter_.node_count(),
                           .ranks_per_node = starter_.ranks_per_node(),
                           .cores_per_node = node::usable_cores(),
                           .on_node = pair_ ? &*pair_ : nullptr,
                           .between = far_pair_ ? &*far_pair_ : nullptr};
  for (const auto& [key, time] : output.times) {
    if (key.first != name) continue;
    const auto simulated = simulated_time(machine, name, key.second, std::min(longest_simulation, seconds_left()));
    const std::string what = key.second == 0 ? name : fmt::format("{}, {}", name, bytes_text(key.second));
    add(judge_time(
        what, time, {simulated.value_or(0), "that the simulator says"}, slow_collective,
        fmt::format("other algorithms may serve better here: bowline-info --collectives --op {} --ranks {} "
                    "shows what runs, perf/tune finds better rules; if other programs use the cores, run this "
                    "again first",
                    name, machine.nodes * machine.ranks_per_node)));
  }
}

void SelftestRun::collectives() {
  const std::string what = fmt::format("collectives of {} ranks", starter_.node_count() * starter_.ranks_per_node());
  const auto output = run(what, Where::all, {"collectives"});
  if (!output) return;
  fmt::print("{}\n", what);
  for (const std::string& name : output->timed) collective(*output, name);
}

}  // namespace bowline::launcher
