// SPDX-License-Identifier: BSD-3-Clause
// See explain.hpp.
#include "launcher/explain.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/shell_word.hpp"
#include "launcher/abi/libraries.hpp"
#include "launcher/abi/mpi_abi.hpp"
#include "launcher/binding.hpp"
#include "launcher/core_claims.hpp"
#include "launcher/exec.hpp"
#include "launcher/job_check.hpp"
#include "launcher/networks_here.hpp"
#include "launcher/places.hpp"
#include "launcher/report/report_words.hpp"
#include "launcher/usage_error.hpp"
#include "node/peer_memory.hpp"

extern char** environ;

namespace bowline::launcher {
namespace {

constexpr std::size_t most_rows = 64;  ///< of ranks

/// Lines of a topic and what is to be said of it, the second column aligned.
class Table {
 public:
  void add(std::string_view topic, std::string_view what) {
    fmt::format_to(std::back_inserter(text_), "  {:<12} {}\n", topic, what);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string counted_ranks(const Options& options) {
  return counted(static_cast<std::uint64_t>(options.ranks()), "rank", "ranks");
}

/// For which MPI the program was built, as far as its file on this machine tells.
std::string abi_of(const App& app) {
  try {
    return in_words(finding_for(app, program_of(app)));
  } catch (const UsageError&) {
    return "is not on this machine, so its ABI is not known";
  }
}

void add_programs(const Options& options, Table& table) {
  int first = 0;
  for (const App& app : options.apps) {
    const std::string ranks =
        app.ranks == 1 ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, first + app.ranks - 1);
    table.add("program", fmt::format("{}: {}{} ({})", ranks, for_shell(app.command),
                                     app.wdir.empty() ? "" : ", in " + app.wdir, abi_of(app)));
    first += app.ranks;
  }
}

void add_cores(const Job& job, Table& table) {
  const Topology topology(caches_for(job.options.placement));
  CoreClaims claims;  // until the end of this function
  const ClaimCore claim = [&](int first_cpu) { return claims.claim(first_cpu); };
  const BindingPlan plan = plan_binding(job.options, topology, threads_per_rank(std::getenv("OMP_NUM_THREADS")), claim);
  const std::size_t cores = topology.objects(HWLOC_OBJ_CORE).size();
  table.add("machine",
            fmt::format("{}: {}, CPUs {}", job.host, counted(cores, "core", "cores"), cpu_list(topology.usable())));
  table.add("binding", plan.reason);
  if (plan.ranks.size() > cores)
    table.add("", "more ranks than cores: a rank that waits lets others run, and messages take longer");
  for (std::size_t rank = 0; rank < std::min(plan.ranks.size(), most_rows); ++rank) {
    const std::string& list = plan.ranks[rank].list;
    table.add(fmt::format("rank {}", rank), list.empty() ? "any of these CPUs" : "CPUs " + list);
  }
  if (plan.ranks.size() > most_rows)
    table.add("...", fmt::format("and {} more: --report-bindings lists all", plan.ranks.size() - most_rows));
}

void add_messages(const Job& job, Table& table) {
  if (job.options.ranks() == 1) return table.add("messages", "none: there is one rank");
  table.add("messages", node::allows_single_copy()
                            ? "shared memory; long data in one copy, from one rank's memory to that of another"
                            : "shared memory; long data in two copies, because ranks may not access each other's "
                              "memory (bowline-info --doctor says why)");
}

/// Whether ranks of one node are told to use a network, too.
bool network_within_a_node(const App& app) {
  constexpr std::string_view variable = "BOWLINE_NETWORK_REACH", everywhere = "everywhere";
  const auto own = std::ranges::find(app.environment, variable, [](const auto& each) { return each.first; });
  if (own != app.environment.end()) return own->second == everywhere;
  const char* const inherited = std::getenv(variable.data());
  return inherited != nullptr && inherited == everywhere;
}

void add_networks(const App& app, Table& table) {
  for (const auto& [name, sentence] : networks_here(app.environment))
    table.add("network", name.empty() ? sentence : fmt::format("{}: {}", name, sentence));
}

void add_environment(const Options& options, Table& table) {
  for (const App& app : options.apps) {
    if (options.apps.size() > 1 && !app.environment.empty()) table.add("variables", "of " + app.command.at(0) + ":");
    const std::size_t own = app.environment.size() - app.library_variables;
    for (std::size_t i = 0; i < app.environment.size(); ++i) {
      const auto& [name, value] = app.environment[i];
      table.add("variable", fmt::format("{}={}{}", name, value, i < own ? "" : "  (so that it finds the libraries)"));
    }
    if (!app.inherit.value_or(true)) table.add("variable", "none of mpiexec's own but HOME, PATH and the like");
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view setting = *entry;
    if (setting.starts_with("BOWLINE_")) table.add("setting", setting);
  }
}

void add_input_and_output(const Options& options, Table& table) {
  table.add("input", options.stdin_rank == Options::stdin_none ? "no rank reads the standard input"
                     : options.stdin_rank == Options::stdin_all
                         ? "each rank reads all of the standard input"
                         : fmt::format("rank {} reads the standard input", options.stdin_rank));
  if (!options.files.out.empty()) table.add("output", "to files: " + options.files.out);
  if (!options.files.err.empty()) table.add("", "and " + options.files.err);
  if (options.files.out.empty() && options.files.err.empty()) table.add("output", "to that of mpiexec");
  if (!options.report.empty()) table.add("report", options.report);
  if (!options.record.empty()) table.add("record", options.record);
}

void add_end(const Options& options, Table& table) {
  table.add("end",
            options.keep_going ? "the job goes on if a rank is killed" : "if a rank fails, all others are ended");
  if (options.timeout_s) table.add("", fmt::format("after {:g} s ({})", *options.timeout_s, options.timeout_name));
}

}  // namespace

std::string for_shell(const std::vector<std::string>& words) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
    line += is_plain ? word : shell_quoted(word);
  }
  return line;
}

std::string explain(Options options) {
  OutputFiles files = std::exchange(options.files, {});  // check_job() would make their directory
  Job job = check_job(std::move(options));
  job.options.files = std::move(files);
  Table table;
  add_programs(job.options, table);
  add_cores(job, table);
  add_messages(job, table);
  if (network_within_a_node(job.options.apps.front()))
    add_networks(job.options.apps.front(), table);
  else
    table.add("network", "none: all ranks are on this machine");
  add_environment(job.options, table);
  add_input_and_output(job.options, table);
  add_end(job.options, table);
  return fmt::format("mpiexec would start {} here. Nothing has been started.\n{}", counted_ranks(job.options),
                     table.text());
}

std::string explain_elsewhere(const Options& options, const std::vector<std::string>& command) {
  Table table;
  table.add("command", for_shell(command));
  if (!is_in_path(command.at(0))) table.add("", fmt::format("PATH has no {}: add its directory", command[0]));
  add_programs(options, table);
  table.add("messages", "shared memory on each node; between nodes the first of these networks that both have, as");
  table.add("", "this machine has them:");
  add_networks(options.apps.front(), table);
  add_environment(options, table);
  return fmt::format("mpiexec would run this command, which starts {} on several nodes. Nothing has been started.\n{}",
                     counted_ranks(options), table.text());
}

}  // namespace bowline::launcher
