// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/rank_starter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

#include "launcher/exec.hpp"
#include "launcher/usage_error.hpp"
#include "node/host.hpp"

namespace bowline::launcher {
namespace {

constexpr int most_per_node = 64;
constexpr int most_ranks = 1024;  ///< of all nodes: more would take longer than the self-test may
constexpr double time_of_scontrol = 30;
constexpr const char* interactive_step = "4294967290";  ///< the number of the shell that salloc opens on a node

std::string value(const char* name) {
  const char* const found = std::getenv(name);
  return found == nullptr ? "" : found;
}

/// A rank of a job that starts it would start a test of its own for each rank.
void refuse_as_rank() {
  if (value("PMIX_RANK").empty() || value("SLURM_STEP_ID") == interactive_step) return;
  throw UsageError(
      "--selftest starts its ranks itself, and this process is a rank of a job already: start it without "
      "mpiexec and srun");
}

std::vector<std::string> node_names() {
  const CommandEnd end =
      run_command({"scontrol", "show", "hostnames", value("SLURM_JOB_NODELIST")}, {}, time_of_scontrol);
  std::istringstream lines(end.output);
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  if (end.status != 0 || names.empty())
    throw UsageError(
        "--selftest: Slurm does not tell the nodes of this allocation ('scontrol show hostnames {}' {}): "
        "leave it with exit, or mend that",
        value("SLURM_JOB_NODELIST"), end.errors.substr(0, end.errors.find('\n')));
  return names;
}

int number_in(const std::string& text) {
  return std::atoi(text.c_str());
}

}  // namespace

std::string beside(std::initializer_list<std::string_view> names) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // In a build tree the simulator is in another folder.
  for (const auto& place : {folder, folder.parent_path() / "perf"}) {
    for (const std::string_view name : names)
      if (std::string path = (place / name).string(); access(path.c_str(), X_OK) == 0) return path;
  }
  throw LaunchError("{} is not installed beside bowline-info, in {}", *names.begin(), folder.string());
}

RankStarter::RankStarter(int nodes) {
  refuse_as_rank();
  const bool allocated = !value("SLURM_JOB_ID").empty() && !value("SLURM_JOB_NODELIST").empty() && is_in_path("srun");
  if (nodes > 0 && !allocated)
    throw UsageError(
        "--nodes {}: this is no Slurm allocation with srun in PATH: start it as 'salloc -N {} bowline-info "
        "--selftest --nodes {}', or without --nodes for this node alone",
        nodes, nodes, nodes);
  ranks_per_node_ = std::clamp(node::usable_cores(), 2, most_per_node);
  if (!allocated) {
    const std::string chosen = value("BOWLINE_MPIEXEC");
    mpiexec_ = chosen.empty() ? beside({"mpiexec.bowline", "mpiexec"}) : chosen;
    return;
  }
  nodes_ = node_names();
  const int there = static_cast<int>(nodes_.size());
  if (nodes > there)
    throw UsageError("--nodes {}: this allocation has {} ({}): ask for as many with salloc -N {}", nodes, there,
                     value("SLURM_JOB_NODELIST"), nodes);
  nodes_.resize(static_cast<std::size_t>(std::max(nodes, 1)));
  const int tasks = number_in(value("SLURM_NTASKS_PER_NODE"));
  const int cpus = tasks > 0 ? tasks : number_in(value("SLURM_JOB_CPUS_PER_NODE"));
  ranks_per_node_ =
      std::clamp(cpus, node_count() == 1 ? 2 : 1, std::max(1, std::min(most_per_node, most_ranks / node_count())));
}

std::vector<std::string> RankStarter::step(const std::vector<std::string>& nodes, int ranks_per_node, bool mpi) const {
  return {"srun",
          mpi ? "--mpi=pmix" : "--mpi=none",
          "--overlap",
          "--overcommit",
          "--kill-on-bad-exit=1",
          fmt::format("--nodelist={}", fmt::join(nodes, ",")),
          fmt::format("--nodes={}", nodes.size()),
          fmt::format("--ntasks={}", nodes.size() * static_cast<std::size_t>(ranks_per_node)),
          fmt::format("--ntasks-per-node={}", ranks_per_node)};
}

std::vector<std::string> RankStarter::command(Where where, const std::vector<std::string>& program) const {
  std::vector<std::string> words;
  if (nodes_.empty()) {
    const int ranks = where == Where::alone ? 1 : where == Where::all ? ranks_per_node_ : 2;
    if (where != Where::process) words = {mpiexec_, "-n", std::to_string(ranks)};
  } else if (where == Where::neighbours) {
    words = step({nodes_[0], nodes_[1]}, 1, true);
  } else if (where == Where::far) {
    words = step(nodes_, 1, true);  // Slurm 22.05 cannot wire up a step that leaves out nodes between its own
  } else if (where == Where::all) {
    words = step(nodes_, ranks_per_node_, true);
  } else {
    words = step({nodes_[0]}, where == Where::pair ? 2 : 1, where != Where::process);
  }
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

std::vector<std::string> RankStarter::on_each_node(const std::vector<std::string>& program) const {
  std::vector<std::string> words = step(nodes_, 1, false);
  words.insert(words.begin() + 1, "--label");
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace bowline::launcher
