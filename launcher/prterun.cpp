// SPDX-License-Identifier: BSD-3-Clause
// See prterun.hpp. The options are those of PRRTE 3.
#include "launcher/prterun.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "base/keep_going.hpp"
#include "launcher/exec.hpp"
#include "launcher/flight/recorder_variable.hpp"
#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

// Prefixes of variables that ranks on other hosts would not get otherwise.
constexpr std::string_view passed_on[] = {"BOWLINE_", "UCX_", "PMIX_MCA_", "OMP_"};

std::string hosts_of(const std::vector<Host>& hosts) {
  std::vector<std::string> words;
  words.reserve(hosts.size());
  for (const Host& host : hosts) {
    words.push_back(host.slots == Host::all_cores ? host.name + ":auto" : fmt::format("{}:{}", host.name, host.slots));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

std::string object_word(Place place) {
  return std::string(place == Place::socket ? "package" : name_of(place));
}

/// mpiexec allows more ranks than slots, so prterun gets OVERSUBSCRIBE.
std::string prterun_mapping(const Options& options) {
  const Placement& placement = options.placement;
  std::string word;
  if (placement.per_object > 0)
    word = fmt::format("ppr:{}:{}", placement.per_object, object_word(placement.map_by));
  else if (options.ranks_per_node)
    word = fmt::format("ppr:{}:node", *options.ranks_per_node);
  else if (placement.map_by != Place::automatic)
    word = object_word(placement.map_by);
  std::vector<std::string> how;
  if (!placement.no_sharing) how.emplace_back("OVERSUBSCRIBE");
  if (placement.units_per_rank > 0) how.push_back(fmt::format("PE={}", placement.units_per_rank));
  if (placement.hwthreads) how.emplace_back("HWTCPUS");
  if (placement.blocks) how.emplace_back("SPAN");
  return how.empty() ? word : fmt::format("{}:{}", word, fmt::join(how, ":"));
}

void add_prterun_placement(const Options& options, std::vector<std::string>& command,
                           std::vector<std::string>& warnings) {
  const Placement& placement = options.placement;
  if (const std::string word = prterun_mapping(options); !word.empty())
    command.insert(command.end(), {"--map-by", word});
  if (placement.bind_to == Place::list || placement.bind_count > 1 || placement.map_count > 1) {
    warnings.emplace_back("prterun has no counterpart of --bind-to user:LIST, and of numbers behind an object");
  } else if (placement.bind_to != Place::automatic && placement.bind_to != Place::node) {
    command.insert(command.end(), {"--bind-to", object_word(placement.bind_to)});
  }
  if (placement.rank_by != Place::automatic) {
    const bool fill = placement.rank_by == Place::core || placement.rank_by == Place::hwthread;
    command.insert(command.end(), {"--rank-by", fill ? "fill" : "slot"});
  }
  if (!placement.cpus.empty()) warnings.emplace_back("prterun does not take --cpu-set here, and it has no effect");
}

void add_prterun_output(const Options& options, std::vector<std::string>& command, std::vector<std::string>& warnings) {
  std::vector<std::string> output;
  if (options.tag.find("%T") != std::string::npos) output.emplace_back("timestamp");
  if (!options.tag.empty()) output.emplace_back("tag");
  if (options.merge_stderr) output.emplace_back("merge-stderr-to-stdout");
  if (!options.files.directory.empty())
    output.push_back("dir=" + std::filesystem::absolute(options.files.directory).string());
  else if (!options.files.out.empty() || !options.files.err.empty())
    warnings.emplace_back("prterun has no patterns of files; --output-dir DIR takes their place");
  if (!output.empty()) command.insert(command.end(), {"--output", fmt::format("{}", fmt::join(output, ","))});
  if (!options.line_buffered.value_or(true))
    warnings.emplace_back("prterun has no counterpart of --stream-buffering full");
  if (options.stdin_rank == Options::stdin_all) command.insert(command.end(), {"--stdin", "all"});
  if (options.stdin_rank == Options::stdin_none) command.insert(command.end(), {"--stdin", "none"});
  if (options.stdin_rank > 0) command.insert(command.end(), {"--stdin", std::to_string(options.stdin_rank)});
  std::vector<std::string> display;
  if (options.display_map) display.emplace_back("map");
  if (options.display_allocation) display.emplace_back("allocation");
  if (options.report_bindings) display.emplace_back("bindings");
  if (!display.empty()) command.insert(command.end(), {"--display", fmt::format("{}", fmt::join(display, ","))});
}

void add_prterun_app(const App& app, const Options& options, std::vector<std::string>& command) {
  if (app.ranks_given) command.insert(command.end(), {"-n", std::to_string(app.ranks)});
  if (!app.wdir.empty()) command.insert(command.end(), {"--wdir", app.wdir});
  if (!app.path.empty()) command.insert(command.end(), {"--path", app.path});
  for (char** variable = environ; *variable != nullptr; ++variable) {
    for (std::string_view prefix : passed_on) {
      if (std::string_view(*variable).starts_with(prefix)) command.insert(command.end(), {"-x", *variable});
    }
  }
  if (options.keep_going) command.insert(command.end(), {"-x", std::string(keep_going_variable) + "=1"});
  if (!options.initial_errhandler.empty())
    command.insert(command.end(), {"-x", "BOWLINE_INITIAL_ERRHANDLER=" + options.initial_errhandler});
  for (const auto& [name, value] : app.environment) command.insert(command.end(), {"-x", name + "=" + value});
  command.insert(command.end(), app.command.begin(), app.command.end());
}

}  // namespace

std::vector<std::string> prterun_command(const Options& options, std::vector<std::string>& warnings) {
  std::vector<std::string> command = {"prterun", "--host", hosts_of(options.hosts)};
  if (geteuid() == 0) command.emplace_back("--allow-run-as-root");
  if (options.timeout_s)
    command.insert(command.end(), {"--timeout", fmt::format("{:.0f}", std::ceil(*options.timeout_s))});
  if (options.for_gdb())
    throw UsageError("--gdb: prterun, which starts ranks on other hosts, has no such option; leave it out");
  if (options.end_descriptor >= 0) {
    throw UsageError(
        "--end-with-descriptor {}: prterun, which starts ranks on other hosts, has no such option; end it by a signal",
        options.end_descriptor);
  }
  if (!options.report.empty()) {
    throw UsageError(
        "--report {}: mpiexec makes the report of ranks that it has started itself, and prterun starts those of other "
        "nodes; leave the option out, set BOWLINE_REPORT=FOLDER, and call bowline-report FOLDER after the job",
        options.report);
  }
  if (!options.record.empty()) {
    throw UsageError(
        "--record {}: mpiexec reads what ranks have kept that it has started itself, and prterun starts those of other "
        "nodes; leave the option out, set {}=FOLDER, and call bowline-report --timeline FOLDER after the job",
        options.record, recorder_variable);
  }
  if (options.chaos) {
    throw UsageError(
        "--chaos {}: mpiexec kills and stops ranks that it has started itself, and prterun starts those on other "
        "hosts; leave the option out, or name this machine alone (--host)",
        options.chaos->seed);
  }
  if (options.keep_going) command.insert(command.end(), {"--runtime-options", "recoverable,continuous"});
  if (options.universe_given) warnings.emplace_back("prterun has no counterpart of --usize");
  if (options.grace_given) warnings.emplace_back("prterun has no counterpart of --grace");
  add_prterun_placement(options, command, warnings);
  add_prterun_output(options, command, warnings);
  for (size_t i = 0; i < options.apps.size(); ++i) {
    if (i > 0) command.emplace_back(":");
    add_prterun_app(options.apps[i], options, command);
  }
  return command;
}

void exec_prterun(const Options& options) {
  if (!is_in_path("prterun")) {
    const std::string own = host_name();
    const auto other = std::find_if(options.hosts.begin(), options.hosts.end(),
                                    [&own](const Host& host) { return !is_this_host(host.name, own); });
    throw UsageError(
        "--host {}: is not this machine ({}), on which alone mpiexec starts ranks by itself; for several hosts install "
        "PRRTE (prterun) and have it in PATH, or use a Slurm allocation, where mpiexec becomes srun",
        other->name, own);
  }
  std::vector<std::string> warnings;
  const std::vector<std::string> command = prterun_command(options, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "mpiexec: {}\n", warning);
  exec_command(command, options.verbose);
}

}  // namespace bowline::launcher
