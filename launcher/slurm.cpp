// SPDX-License-Identifier: BSD-3-Clause
// See slurm.hpp.
#include "launcher/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/keep_going.hpp"
#include "launcher/environment.hpp"
#include "launcher/exec.hpp"
#include "launcher/flight/recorder_variable.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Number of CPUs of an allocation, from SLURM_JOB_CPUS_PER_NODE, such as "4(x2),8"; 0 if the text cannot be parsed.
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

/// The user's lists of CPUs for the ranks of a node, as hexadecimal masks.
std::string cpu_masks(const std::vector<std::vector<int>>& lists) {
  std::vector<std::string> masks;
  for (const std::vector<int>& cpus : lists) {
    std::string digits(static_cast<size_t>(*std::ranges::max_element(cpus)) / 4 + 1, '0');
    for (int cpu : cpus) {
      char& digit = *(digits.rbegin() + cpu / 4);
      const int value = (digit > '9' ? digit - 'a' + 10 : digit - '0') | 1 << cpu % 4;
      digit = "0123456789abcdef"[value];
    }
    masks.push_back("0x" + digits);
  }
  return fmt::format("mask_cpu:{}", fmt::join(masks, ","));
}

std::string cpu_bind(const Options& options, std::vector<std::string>& warnings) {
  std::string value;
  switch (options.placement.bind_to) {
    case Place::automatic:
      break;
    case Place::hwthread:
      value = "threads";
      break;
    case Place::core:
      value = "cores";
      break;
    case Place::numa:
      value = "ldoms";
      break;
    case Place::socket:
      value = "sockets";
      break;
    case Place::none:
    case Place::node:
      value = "none";
      break;
    case Place::list:
      value = cpu_masks(options.placement.bind_lists);
      break;
    default:
      warnings.push_back(fmt::format("srun does not bind to a {}: ranks are bound as Slurm is set up",
                                     name_of(options.placement.bind_to)));
  }
  if (options.report_bindings) value = value.empty() ? "verbose" : "verbose," + value;
  return value;
}

void add_placement(const Options& options, const Lookup& variable, std::vector<std::string>& command,
                   std::vector<std::string>& warnings) {
  const Placement& placement = options.placement;
  if (const std::string value = cpu_bind(options, warnings); !value.empty()) command.push_back("--cpu-bind=" + value);
  if (placement.map_by == Place::core || placement.map_by == Place::slot)
    command.emplace_back("--distribution=block:block");
  if (placement.map_by == Place::numa || (placement.map_by == Place::socket && placement.per_object == 0))
    command.emplace_back("--distribution=block:cyclic");
  if (placement.per_object > 0 && (placement.map_by == Place::socket || placement.map_by == Place::core)) {
    command.push_back(fmt::format("--ntasks-per-{}={}", name_of(placement.map_by), placement.per_object));
  } else if (placement.per_object > 0) {
    warnings.push_back(
        fmt::format("srun does not count the ranks on a {}: ppr has no effect", name_of(placement.map_by)));
  }
  if (placement.hwthreads) command.emplace_back("--hint=multithread");
  if (placement.bind_count > 1 || placement.map_count > 1 || placement.blocks || !placement.cpus.empty() ||
      placement.rank_by != Place::automatic) {
    warnings.emplace_back(
        "srun has no counterpart of --rank-by, --cpu-set, SPAN, and numbers behind an object: they have no effect");
  }
  // srun takes the number of CPUs per rank from its own option only; without the option it would put all threads of a
  // rank on one CPU.
  if (placement.units_per_rank > 0)
    command.push_back(fmt::format("--cpus-per-task={}", placement.units_per_rank));
  else if (const char* cpus = variable("SLURM_CPUS_PER_TASK"))
    command.push_back(fmt::format("--cpus-per-task={}", cpus));
}

/// One host name per rank: fills the slots of each host in turn, and starts again at the first host if there are more
/// ranks.
std::vector<std::string> ranks_on_hosts(const std::vector<Host>& hosts, int ranks) {
  std::vector<std::string> names;
  while (names.size() < static_cast<size_t>(ranks)) {
    for (const Host& host : hosts) {
      for (int i = 0; i < std::max(host.slots, 1) && names.size() < static_cast<size_t>(ranks); ++i)
        names.push_back(host.name);
    }
  }
  return names;
}

/// Number of nodes on which the job may run: the named nodes, otherwise all nodes of the allocation.
int usable_nodes(const Options& options, const Lookup& variable) {
  std::set<std::string_view> names;
  for (const Host& host : options.hosts) names.insert(host.name);
  return names.empty() ? slurm_nodes(variable) : static_cast<int>(names.size());
}

/// Slots give the number of ranks of each host; without slots Slurm distributes the ranks. Slurm takes a list of nodes
/// for a minimum, so their number is given as well.
void add_hosts(const Options& options, std::vector<std::string>& command) {
  if (options.hosts.empty()) return;
  std::vector<std::string> names;
  bool slots = false;
  int sum = 0;
  for (const Host& host : options.hosts) {
    slots = slots || host.slots != 1 || std::ranges::find(names, host.name) != names.end();
    names.push_back(host.name);
    sum += std::max(host.slots, 1);
  }
  const App& app = options.apps.front();
  if (slots && options.apps.size() == 1 && !options.ranks_per_node) {
    command.emplace_back("--distribution=arbitrary");
    names = ranks_on_hosts(options.hosts, app.ranks_given ? app.ranks : sum);
  } else if (options.apps.size() == 1 && !options.ranks_per_node) {
    const int ranks = app.ranks_given ? app.ranks : sum;
    command.push_back(fmt::format("--nodes={}", std::min(ranks, sum)));
    if (!app.ranks_given) command.push_back(fmt::format("--ntasks={}", ranks));
  }
  command.push_back(fmt::format("--nodelist={}", fmt::join(names, ",")));
}

/// Throws UsageError for options that would have no effect.
void refuse_what_srun_lacks(const Options& options) {
  if (options.grace_given) {
    throw UsageError(
        "--grace {}: in an allocation of several nodes Slurm decides how long ranks may take to end; leave "
        "the option out, or have the site set KillWait",
        options.grace_s);
  }
  if (options.universe_given) {
    throw UsageError("--usize: in an allocation of several nodes Slurm tells the size of the universe; leave it out");
  }
  if (options.end_descriptor >= 0) {
    throw UsageError(
        "--end-with-descriptor {}: srun, which starts ranks on several nodes, has no such option; end it by a signal",
        options.end_descriptor);
  }
  if (!options.report.empty()) {
    throw UsageError(
        "--report {}: mpiexec makes the report of ranks that it has started itself, and srun starts those of other "
        "nodes; leave the option out, set BOWLINE_REPORT=FOLDER, and call bowline-report FOLDER after the job",
        options.report);
  }
  if (!options.record.empty()) {
    throw UsageError(
        "--record {}: mpiexec reads what ranks have kept that it has started itself, and srun starts those of other "
        "nodes; leave the option out, set {}=FOLDER, and call bowline-report --timeline FOLDER after the job",
        options.record, recorder_variable);
  }
  if (options.for_gdb()) {
    throw UsageError(
        "--gdb: mpiexec starts gdb for ranks that it has started itself, and srun starts those of several nodes; leave "
        "the option out, or name this node alone (--host)");
  }
  if (options.chaos) {
    throw UsageError(
        "--chaos {}: mpiexec kills and stops ranks that it has started itself, and srun starts those of several nodes; "
        "leave the option out, or name this node alone (--host)",
        options.chaos->seed);
  }
  if (options.ranks_per_node && options.apps.size() > 1) {
    throw UsageError("-N {}: with several programs, srun takes no number of ranks per node; leave it out",
                     *options.ranks_per_node);
  }
}

/// Gives the number of nodes as well, because Slurm otherwise spreads ranks over all nodes that it may use.
void add_shape(const Options& options, const Lookup& variable, std::vector<std::string>& command) {
  const int each = *options.ranks_per_node;
  const App& app = options.apps.front();
  const int most = usable_nodes(options, variable);
  const int needed = app.ranks_given ? (app.ranks + each - 1) / each : most;
  const int nodes = options.ranks_wrap ? std::min(needed, most) : needed;
  command.push_back(fmt::format("--nodes={}", nodes));
  if (needed <= nodes) command.push_back(fmt::format("--ntasks-per-node={}", each));
  if (!app.ranks_given) command.push_back(fmt::format("--ntasks={}", std::int64_t{nodes} * each));
}

/// Converts a pattern of mpiexec to Slurm's letters.
std::string slurm_pattern(std::string pattern) {
  for (size_t at = 0; (at = pattern.find('%', at)) != std::string::npos; at += 2) {
    if (at + 1 == pattern.size()) break;
    char& letter = pattern[at + 1];
    if (letter == 'r' || letter == '0') letter = 't';
    if (letter == 'h') letter = 'N';
  }
  return std::filesystem::absolute(pattern);
}

void add_files(const Options& options, std::vector<std::string>& command, std::vector<std::string>& warnings) {
  const OutputFiles& files = options.files;
  if (files.forwarded) {  // srun makes no directory for each rank, and does not copy output
    warnings.push_back(fmt::format("{}: srun writes {}/rank.RANK.stdout and .stderr, and passes nothing on",
                                   files.option, files.directory));
    const std::string rank = slurm_pattern(files.directory + "/rank.%r");
    command.insert(command.end(), {"--output=" + rank + ".stdout", "--error=" + rank + ".stderr"});
  } else {
    if (!files.out.empty()) command.push_back("--output=" + slurm_pattern(files.out));
    if (!files.err.empty()) command.push_back("--error=" + slurm_pattern(files.err));
  }
  if (options.merge_stderr && files.out.empty())
    warnings.emplace_back("srun does not merge the streams: --merge-stderr-to-stdout has no effect");
}

std::string input_of(const Options& options) {
  if (options.stdin_rank == Options::stdin_all) return "--input=all";
  return options.stdin_rank == Options::stdin_none ? "--input=none" : fmt::format("--input={}", options.stdin_rank);
}

void add_job_options(const Options& options, const Lookup& variable, const std::string& mpi,
                     std::vector<std::string>& command, std::vector<std::string>& warnings) {
  // The options make srun behave as mpiexec does: a failed rank ends the job, and standard input goes to one rank.
  command.insert(command.end(), {"--mpi=" + mpi, options.keep_going ? "--kill-on-bad-exit=0" : "--kill-on-bad-exit=1"});
  if (options.keep_going) command.emplace_back("--no-kill");
  command.push_back(input_of(options));
  // With this option tasks write to pseudo-terminals. That is not the default, because srun then mixes lines of several
  // tasks.
  if (options.line_buffered.value_or(false)) command.emplace_back("--unbuffered");
  add_hosts(options, command);
  if (options.ranks_per_node) add_shape(options, variable, command);
  add_placement(options, variable, command, warnings);
  const long cpus = allocated_cpus(variable("SLURM_JOB_CPUS_PER_NODE"));
  if (cpus > 0 && options.ranks() > cpus) command.push_back("--overcommit");
  if (variable("SLURM_STEP_ID") != nullptr)
    command.push_back("--overlap");  // the step in which this process runs holds the CPUs
  if (!options.tag.empty()) command.emplace_back("--label");
  add_files(options, command, warnings);
  if (options.display_map || options.display_allocation)
    warnings.emplace_back("srun does not print its map; --report-bindings prints where ranks are bound");
}

void add_app(const App& app, const Options& options, std::vector<std::string>& command) {
  if (app.ranks_given) command.push_back(fmt::format("--ntasks={}", app.ranks));
  if (!app.wdir.empty()) command.push_back("--chdir=" + app.wdir);
  if (!app.inherit.value_or(true)) command.push_back(fmt::format("--export={}", fmt::join(login_variables, ",")));
  command.emplace_back("--");
  std::vector<std::string> variables;
  const char* path = std::getenv("PATH");
  if (!app.path.empty()) variables.push_back(fmt::format("PATH={}:{}", app.path, path == nullptr ? "" : path));
  if (options.keep_going) variables.push_back(std::string(keep_going_variable) + "=1");
  if (!options.initial_errhandler.empty())
    variables.push_back("BOWLINE_INITIAL_ERRHANDLER=" + options.initial_errhandler);
  for (const auto& [name, value] : app.environment) variables.push_back(name + "=" + value);
  if (!variables.empty()) command.emplace_back("env");
  command.insert(command.end(), variables.begin(), variables.end());
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

// Each plugin has a line of its own. Some versions of srun put their name before it.
std::string slurm_mpi() {
  const std::unique_ptr<FILE, decltype(&pclose)> list(popen("srun --mpi=list 2>&1", "r"), &pclose);
  if (list == nullptr) return "pmix";
  bool has_pmi2 = false;
  std::array<char, 256> line;
  while (std::fgets(line.data(), static_cast<int>(line.size()), list.get()) != nullptr) {
    std::istringstream words(line.data());
    std::string plugin, rest;
    words >> plugin;
    if (plugin == "srun:") words >> plugin;
    if (words >> rest) continue;
    if (plugin.starts_with("pmix")) return "pmix";
    has_pmi2 |= plugin == "pmi2";
  }
  return has_pmi2 ? "pmi2" : "pmix";
}

std::vector<std::string> srun_command(const Options& options, const Lookup& variable, const std::string& mpi,
                                      std::vector<std::string>& warnings) {
  refuse_what_srun_lacks(options);
  std::vector<std::string> command;
  if (options.timeout_s) {
    // Slurm's limits are in minutes. timeout takes seconds and exits with 124, as mpiexec does.
    command = {"timeout", "--foreground", "--kill-after=5", fmt::format("{}", *options.timeout_s)};
  }
  for (size_t i = 0; i < options.apps.size(); ++i) {
    command.push_back(i == 0 ? "srun" : ":");
    if (i == 0) add_job_options(options, variable, mpi, command, warnings);
    if (i > 0) command.push_back("--mpi=" + mpi);
    add_app(options.apps[i], options, command);
  }
  return command;
}

void exec_srun(const Options& options) {
  std::vector<std::string> warnings;
  const std::vector<std::string> command = srun_command(options, std::getenv, slurm_mpi(), warnings);
  if (!is_in_path("srun")) {
    throw UsageError("this is a Slurm allocation of {} nodes, but there is no srun in PATH; add its directory to PATH",
                     slurm_nodes(std::getenv));
  }
  for (const std::string& warning : warnings) fmt::print(stderr, "mpiexec: {}\n", warning);
  std::error_code error;  // srun reports a directory that could not be made
  if (!options.files.directory.empty()) std::filesystem::create_directory(options.files.directory, error);
  exec_command(command, options.verbose);
}

}  // namespace bowline::launcher
