// SPDX-License-Identifier: BSD-3-Clause
// See slurm.hpp.
#include "launcher/slurm.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launcher/check.hpp"
#include "launcher/error.hpp"

namespace bowline::launcher {
namespace {

/// CPUs of an allocation from SLURM_JOB_CPUS_PER_NODE, such as "4(x2),8"; 0 when it cannot be told.
long allocated_cpus(const char* text) {
  long sum = 0;
  while (text != nullptr && *text != '\0') {
    char* end = nullptr;
    const long cpus = std::strtol(text, &end, 10);
    if (end == text) return 0;
    long nodes = 1;
    if (strncmp(end, "(x", 2) == 0) nodes = std::strtol(end + 2, &end, 10), end += *end == ')' ? 1 : 0;
    sum += cpus * nodes;
    text = *end == ',' ? end + 1 : end;
    if (*end != ',' && *end != '\0') return 0;
  }
  return sum;
}

std::string cpu_bind(const Options& options) {
  std::string value;
  switch (options.bind_to) {
    case BindTo::automatic:
      break;
    case BindTo::core:
      value = "cores";
      break;
    case BindTo::numa:
      value = "ldoms";
      break;
    case BindTo::socket:
      value = "sockets";
      break;
    case BindTo::none:
      value = "none";
      break;
  }
  if (options.report_bindings) value = value.empty() ? "verbose" : "verbose," + value;
  return value;
}

/// Throws UsageError for what would be lost.
void refuse_what_srun_lacks(const Options& options) {
  if (options.grace_given) {
    throw UsageError(
        "--grace {}: in an allocation of several nodes Slurm decides how long ranks may take to end; leave "
        "the option out, or have the site set KillWait",
        options.grace_s);
  }
  if (options.ranks_per_node && options.apps.size() > 1) {
    throw UsageError("-N {}: with several programs, srun takes no number of ranks per node; leave it out",
                     *options.ranks_per_node);
  }
}

/// Slurm spreads ranks over all nodes that it is not kept from using, so their number is said too.
void add_shape(const Options& options, const Lookup& variable, std::vector<std::string>& command) {
  const int each = *options.ranks_per_node;
  const App& app = options.apps.front();
  const int nodes = app.ranks_given ? (app.ranks + each - 1) / each : slurm_nodes(variable);
  command.push_back(fmt::format("--nodes={}", nodes));
  command.push_back(fmt::format("--ntasks-per-node={}", each));
  if (!app.ranks_given) command.push_back(fmt::format("--ntasks={}", std::int64_t{nodes} * each));
}

void add_job_options(const Options& options, const Lookup& variable, std::vector<std::string>& command) {
  // What mpiexec does by itself: a failed rank ends the job, and standard input goes to rank 0.
  command.insert(command.end(), {"--mpi=pmix", "--kill-on-bad-exit=1", "--input=0"});
  if (!options.hosts.empty()) {
    std::vector<std::string> names;
    for (const std::string& host : options.hosts) names.push_back(host.substr(0, host.find(':')));
    command.push_back(fmt::format("--nodelist={}", fmt::join(names, ",")));
  }
  if (options.ranks_per_node) add_shape(options, variable, command);
  if (const std::string value = cpu_bind(options); !value.empty()) command.push_back("--cpu-bind=" + value);
  if (options.map_by == MapBy::core || options.map_by == MapBy::slot) command.push_back("--distribution=block:block");
  if (options.map_by == MapBy::numa || options.map_by == MapBy::socket) {
    command.push_back("--distribution=block:cyclic");
  }
  // srun takes this from its own option only, and would else put all threads of a rank on one CPU.
  if (const char* cpus = variable("SLURM_CPUS_PER_TASK")) command.push_back(fmt::format("--cpus-per-task={}", cpus));
  const long cpus = allocated_cpus(variable("SLURM_JOB_CPUS_PER_NODE"));
  if (cpus > 0 && options.ranks() > cpus) command.push_back("--overcommit");
  if (variable("SLURM_STEP_ID") != nullptr) command.push_back("--overlap");  // inside a step, which holds the CPUs
  if (options.tag_output) command.push_back("--label");
  if (!options.output_dir.empty()) {
    const std::string directory = std::filesystem::absolute(options.output_dir);
    command.push_back(fmt::format("--output={}/rank.%t.out", directory));
    command.push_back(fmt::format("--error={}/rank.%t.err", directory));
  }
}

void add_app(const App& app, const std::string& initial_errhandler, std::vector<std::string>& command) {
  if (app.ranks_given) command.push_back(fmt::format("--ntasks={}", app.ranks));
  if (!app.wdir.empty()) command.push_back("--chdir=" + app.wdir);
  command.push_back("--");
  if (!app.environment.empty() || !initial_errhandler.empty()) {
    command.push_back("env");
    if (!initial_errhandler.empty()) command.push_back("BOWLINE_INITIAL_ERRHANDLER=" + initial_errhandler);
    for (const auto& [name, value] : app.environment) command.push_back(name + "=" + value);
  }
  command.insert(command.end(), app.command.begin(), app.command.end());
}

}  // namespace

int slurm_nodes(const Lookup& variable) {
  if (variable("SLURM_JOB_ID") == nullptr) return 0;
  for (const char* name : {"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}) {
    if (const char* text = variable(name)) return std::atoi(text);
  }
  return 1;
}

std::vector<std::string> srun_command(const Options& options, const Lookup& variable) {
  refuse_what_srun_lacks(options);
  std::vector<std::string> command;
  if (options.timeout_s) {
    // Slurm counts in minutes; this ends with 124, as mpiexec does.
    command = {"timeout", "--foreground", "--kill-after=5", fmt::format("{}", *options.timeout_s)};
  }
  for (size_t i = 0; i < options.apps.size(); ++i) {
    command.push_back(i == 0 ? "srun" : ":");
    if (i == 0) add_job_options(options, variable, command);
    if (i > 0) command.push_back("--mpi=pmix");
    add_app(options.apps[i], options.initial_errhandler, command);
  }
  return command;
}

void exec_srun(const Options& options) {
  const std::vector<std::string> command = srun_command(options, std::getenv);
  const char* path = std::getenv("PATH");
  try {
    find_program("srun", "", path == nullptr ? "" : path);
  } catch (const UsageError&) {
    throw UsageError("this is a Slurm allocation of {} nodes, but there is no srun in PATH; add its directory to PATH",
                     slurm_nodes(std::getenv));
  }
  if (options.verbose) fmt::print(stderr, "mpiexec: {}\n", fmt::join(command, " "));
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  throw LaunchError("cannot run {}: {}", command[0], strerror(errno));
}

}  // namespace bowline::launcher
