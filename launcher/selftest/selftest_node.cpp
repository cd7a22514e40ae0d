// SPDX-License-Identifier: BSD-3-Clause
// What the self-test does on one node: the doctor, the hardware, messages and windows of its ranks.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "launcher/selftest/selftest_run.hpp"
#include "proto/paths/path.hpp"

namespace bowline::launcher {
namespace {

constexpr double busy_too_much = 0.3;  ///< cores
constexpr const char* shared_cores =
    "ranks, or other programs, share cores (see the lines of cores above), or the host of a virtual machine has put "
    "them "
    "far apart: run it again when nothing else runs; bowline-info --protocols measures every way";

std::string folder_of_files() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

/// The lines "  good    cores: 2 of 2 CPUs may be used" of bowline-info --doctor, with "3: " before each.
std::vector<std::pair<std::string, Finding>> read_findings(const std::string& text,
                                                           const std::vector<std::string>& nodes) {
  static const std::regex line_form(R"(\s*(\d+):\s+(good|slower|BROKEN)\s+([^:]+): (.*))");
  std::vector<std::pair<std::string, Finding>> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, line_form)) continue;
    const auto number = static_cast<std::size_t>(std::atoi(parts[1].str().c_str()));
    const auto verdict = parts[2] == "good"     ? Finding::Verdict::good
                         : parts[2] == "slower" ? Finding::Verdict::slower
                                                : Finding::Verdict::broken;
    if (number < nodes.size()) found.emplace_back(nodes[number], Finding{verdict, parts[3], parts[4]});
  }
  return found;
}

}  // namespace

Possible SelftestRun::copy(std::size_t bytes) const {
  return {machine_.rate("copy", bytes).value_or(0), "that a copy in memory reaches"};
}

Possible SelftestRun::bounce() const {
  return {machine_.time("bounce", 64).value_or(0), "that a cache line takes from core to core"};
}

void SelftestRun::add_finding(const Finding& finding, const std::string& node) {
  const Grade grade = finding.verdict == Finding::Verdict::good     ? Grade::ok
                      : finding.verdict == Finding::Verdict::slower ? Grade::slow
                                                                    : Grade::failed;
  const std::string what = node.empty() ? finding.what : fmt::format("{}: {}", node, finding.what);
  add({grade, what, grade == Grade::ok ? "good" : "see below", "", finding.detail});
}

/// A line for each thing that is good on all nodes, or on some of them, and one for each node where it is not.
void SelftestRun::add_findings(const std::vector<std::pair<std::string, Finding>>& found) {
  const auto good = [](const auto& each) { return each.second.verdict == Finding::Verdict::good; };
  for (auto first = found.begin(); first != found.end(); ++first) {
    const std::string& what = first->second.what;
    const auto same = [&what](const auto& each) { return each.second.what == what; };
    if (!good(*first)) add_finding(first->second, first->first);
    if (std::find_if(found.begin(), first, same) != first) continue;  // said already
    const auto nodes = std::ranges::count_if(found, [&](const auto& each) { return same(each) && good(each); });
    if (nodes > 0) add({Grade::ok, what, starter_.node_count() == 1 ? "good" : fmt::format("{} nodes", nodes), "", ""});
  }
}

std::vector<std::pair<std::string, Finding>> SelftestRun::examine_other_nodes() {
  constexpr double patience = 20;
  const CommandEnd end = run_command(starter_.on_each_node({beside({"bowline-info"}), "--doctor"}), {}, patience);
  const auto found = read_findings(end.output, starter_.nodes());
  for (const std::string& node : starter_.nodes()) {
    if (std::ranges::any_of(found, [&node](const auto& each) { return each.first == node; })) continue;
    add({Grade::failed, node + ": bowline-info --doctor", "nothing", "",
         fmt::format("the node gives no answer ({}): is Bowline installed where all nodes see it, and does 'srun -w {} "
                     "hostname' work?",
                     end.errors.substr(0, end.errors.find('\n')), node)});
  }
  return found;
}

void SelftestRun::nodes() {
  std::vector<std::pair<std::string, Finding>> found;
  if (starter_.nodes().empty()) {
    for (const Finding& finding : examine_node()) found.emplace_back("", finding);
  } else {
    found = examine_other_nodes();
  }
  for (const auto& [node, finding] : found)
    if (node.empty() || node == starter_.nodes().front()) findings_.push_back(finding);
  add_findings(found);
  if (auto measured = run("the hardware by itself", Where::process, {"machine", folder_of_files()}))
    machine_ = std::move(*measured);
  if (machine_.busy > busy_too_much)
    add({Grade::slow, "cores: other programs", fmt::format("{:.1f} busy", machine_.busy), "",
         "other programs keep cores busy, so that figures are doubtful and ranks wait: end them, or ask the batch "
         "system "
         "for whole nodes (--exclusive)"});
  if (starter_.node_count() == 1 && starter_.nodes().empty() && starter_.ranks_per_node() > 1 &&
      machine_.time("bounce", 64) == std::nullopt)
    add({Grade::slow, "cores for two ranks", "1", "2",
         "ranks share the only core that this process may use: start it with more (taskset, the batch system)"});
}

void SelftestRun::way_on_node(const std::string& way, const std::string& counter) {
  const std::string what = fmt::format("a node: long messages, {}, 1 MiB", way);
  std::string name = way;
  std::ranges::replace(name, ' ', '_');
  const auto output = run(what, Where::pair, {"long_messages", counter}, {{"BOWLINE_LONG_MESSAGES", name}});
  if (!output) return;
  const auto used = output->used.find(counter);
  if (used == output->used.end() || used->second == 0) {
    const auto refused = std::ranges::find_if(findings_, [](const Finding& finding) {
      return finding.what == "cross-memory attach" && finding.verdict != Finding::Verdict::good;
    });
    add({Grade::slow, what, "not possible", "",
         refused != findings_.end()
             ? refused->detail
             : "ranks do not read each other's memory, so that long messages are copied twice: if "
               "BOWLINE_CROSS_MEMORY_ATTACH is 0, unset it"});
    return;
  }
  // Each way is the best one somewhere: which of them is slow says little, unless all are.
  add(judge_rate(what, output->best_rate(long_message), copy(4 << 20), 0.02, shared_cores));
}

void SelftestRun::on_node() {
  if (const auto output = run("a rank and itself", Where::alone, {"self"}))
    add(judge_rate("a rank and itself, 1 MiB", output->rate("self", long_message), copy(long_message), 0.2,
                   shared_cores));
  pair_ = run("a node: messages", Where::pair, {"messages"});
  if (pair_) {
    Possible eager = bounce();
    add(judge_time("a node: eager messages, 8 bytes", pair_->time("alone", 8), eager, 10, shared_cores));
    const double copies = 2 * (8 << 10) / std::max(copy(64 << 10).value, 1.0);
    add(judge_time("a node: eager messages, 8 KiB", pair_->time("alone", 8 << 10),
                   {eager.value > 0 ? eager.value + copies : 0, "that two copies and that line take"}, 10,
                   shared_cores));
  }
  for (const proto::Path path : proto::all_paths) {
    std::string way(proto::name_of(path));
    std::ranges::replace(way, '_', ' ');
    const std::string counter = (way.ends_with("pieces") ? way.substr(0, way.size() - 1) : way) + "_messages";
    std::string variable = counter;
    std::ranges::replace(variable, ' ', '_');
    way_on_node(way, variable);
  }
  if (pair_)
    add(judge_rate("a node: long messages, as chosen, 4 MiB", pair_->best_rate(4 << 20), copy(4 << 20), 0.25,
                   shared_cores));
}

void SelftestRun::window(const std::string& what, Where where, bool allocated, const std::string& path,
                         const Possible& possible) {
  const Variables variables = path.empty() ? Variables{} : Variables{{"BOWLINE_RMA_PATH", path}};
  const auto output = run(what, where, {"window", allocated ? "allocated" : "created"}, variables);
  if (!output) return;
  add(judge_time(what + ", 8 bytes", output->time("put", 8), {}, 1, ""));
  add(judge_rate(what + ", 1 MiB", output->rate("put", long_message), possible, 0.1, shared_cores));
}

void SelftestRun::windows() {
  window("a node: window in shared memory", Where::pair, true, "", copy(long_message));
  window("a node: window of the program's memory", Where::pair, false, "", copy(long_message));
  window("a node: window by messages", Where::pair, false, "messages", copy(long_message));
}

}  // namespace bowline::launcher
