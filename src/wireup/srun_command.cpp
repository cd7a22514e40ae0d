// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/srun_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/parent_port.hpp"
#include "base/shell_word.hpp"

namespace bowline::wireup {
namespace {

/// Linux allows 128 KiB for one word of a command line.
constexpr std::size_t longest_script = 120000;

/// Options of mpiexec with values that srun has too.
struct Counterpart {
  std::string_view option, value;
  const char* of_srun;
};
constexpr std::array<Counterpart, 9> counterparts{{{"map-by", "node", "--distribution=cyclic"},
                                                   {"map-by", "slot", "--distribution=block"},
                                                   {"map-by", "core", "--distribution=block"},
                                                   {"bind-to", "none", "--cpu-bind=none"},
                                                   {"bind-to", "hwthread", "--cpu-bind=threads"},
                                                   {"bind-to", "core", "--cpu-bind=cores"},
                                                   {"bind-to", "numa", "--cpu-bind=ldoms"},
                                                   {"bind-to", "socket", "--cpu-bind=sockets"},
                                                   {"bind-to", "package", "--cpu-bind=sockets"}}};

int total(std::span<const Program> programs) {
  int sum = 0;
  for (const Program& each : programs) sum += each.processes;
  return sum;
}

/// Makes the shell the program.
std::string becoming(const Program& program) {
  std::string script;
  if (!program.directory.empty()) script += fmt::format("cd {} || exit 126; ", shell_quoted(program.directory));
  if (!program.path.empty()) script += fmt::format("PATH={}:$PATH; export PATH; ", shell_quoted(program.path));
  script += "exec";
  if (!program.environment.empty()) script += " env";
  for (const auto& [variable, value] : program.environment) script += " " + shell_quoted(variable + "=" + value);
  script += " " + shell_quoted(program.name);
  for (const std::string& each : program.arguments) script += " " + shell_quoted(each);
  return script;
}

std::string script_of(std::span<const Program> programs) {
  if (programs.size() == 1) return becoming(programs.front());
  std::string script;
  int below = 0;
  for (const Program& each : programs) {
    below += each.processes;
    script += fmt::format("if [ \"$SLURM_PROCID\" -lt {} ]; then {}; fi; ", below, becoming(each));
  }
  return script;
}

/// The hosts of a program, as often as they have slots ("n1:2").
std::vector<std::string> hosts_of(const Program& program) {
  std::vector<std::string> hosts;
  for (const auto& [option, value] : program.placement) {
    if (option != "host" && option != "add-host") continue;
    std::istringstream list(value);
    for (std::string host; std::getline(list, host, ',');) {
      const std::size_t colon = host.find(':');
      int slots = 1;
      if (colon != std::string::npos) std::from_chars(host.data() + colon + 1, host.data() + host.size(), slots);
      for (int slot = 0; slot < std::clamp(slots, 1, program.processes); ++slot) hosts.push_back(host.substr(0, colon));
    }
  }
  return hosts;
}

/// The host of each process: a program fills its hosts in turn, again and again; one without hosts, those of all.
std::vector<std::string> hosts_of_processes(std::span<const Program> programs) {
  std::vector<std::string> all, places;
  for (const Program& each : programs) {
    const std::vector<std::string> hosts = hosts_of(each);
    all.insert(all.end(), hosts.begin(), hosts.end());
  }
  if (all.empty()) return {};
  for (const Program& each : programs) {
    std::vector<std::string> hosts = hosts_of(each);
    if (hosts.empty()) hosts = all;
    for (int process = 0; process < each.processes; ++process)
      places.push_back(hosts[static_cast<std::size_t>(process) % hosts.size()]);
  }
  return places;
}

/// From "ppr:2:node"; 0 for other values.
int processes_per_node(std::string_view map_by) {
  int number = 0;
  if (!map_by.starts_with("ppr:") || !map_by.ends_with(":node")) return 0;
  std::from_chars(map_by.data() + std::string_view("ppr:").size(), map_by.data() + map_by.size(), number);
  return number;
}

/// The program that comes first decides; Slurm has no such options for a part of a step.
void add_shape(const Program& program, int processes, std::vector<std::string>& words) {
  for (const auto& [option, value] : program.placement) {
    for (const Counterpart& each : counterparts) {
      if (each.option == option && each.value == value) words.emplace_back(each.of_srun);
    }
    if (const int each = option == "map-by" ? processes_per_node(value) : 0; each > 0) {
      words.push_back(fmt::format("--nodes={}", (processes + each - 1) / each));
      words.push_back(fmt::format("--ntasks-per-node={}", each));
    }
  }
}

/// Whether srun would take the variable for an option, or a PMIx client for the address of its server.
bool belongs_to_step(std::string_view assignment) {
  const std::string_view name = assignment.substr(0, assignment.find('='));
  if (name == "SLURM_CONF" || name == "SLURM_JOB_ID") return false;
  if (name.starts_with("PMIX_")) return !name.starts_with("PMIX_MCA_");
  return name.starts_with("SLURM") || name.starts_with("SRUN_") || name.starts_with("PMI_") ||
         name == ParentPort::variable || name == ParentPort::program_variable;
}

}  // namespace

std::vector<std::string> srun_words(std::span<const Program> programs, int cpus, std::string_view mpi) {
  const int processes = total(programs);
  // The parents' step holds the CPUs; without --overlap srun would wait until it has ended.
  std::vector<std::string> words{fmt::format("--mpi={}", mpi),
                                 "--overlap",
                                 "--export=ALL",
                                 "--input=none",
                                 "--kill-on-bad-exit=1",
                                 fmt::format("--immediate={}", time_for_room),
                                 fmt::format("--ntasks={}", processes)};
  words.push_back("--job-name=" + std::filesystem::path(programs.front().name).filename().string());
  const std::vector<std::string> hosts = hosts_of_processes(programs);
  if (!hosts.empty()) {
    words.emplace_back("--distribution=arbitrary");
    words.push_back(fmt::format("--nodelist={}", fmt::join(hosts, ",")));
  } else {
    add_shape(programs.front(), processes, words);
  }
  if (!hosts.empty() || processes > cpus) words.emplace_back("--overcommit");
  const std::string script = script_of(programs);
  if (script.size() > longest_script) {
    throw SpawnFailure(-1, fmt::format("the names, arguments and variables of the programs have {} bytes, but under "
                                       "srun at most {} are possible: pass long ones in a message",
                                       script.size(), longest_script));
  }
  words.insert(words.end(), {"sh", "-c", script});
  return words;
}

std::vector<std::string> srun_environment(std::vector<std::string> own, const std::string& port) {
  std::erase_if(own, belongs_to_step);
  own.push_back(fmt::format("{}={}", ParentPort::variable, port));
  return own;
}

}  // namespace bowline::wireup
