// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/ps/ps_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>

#include "launcher/command_line/debugger_options.hpp"
#include "launcher/command_line/help.hpp"
#include "launcher/flight/flight_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr double least_interval = 0.1, most_interval = 3600;  // seconds

pid_t to_process(const std::string& text) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error != std::errc() || end != text.data() + text.size() || process <= 0)
    throw UsageError("\"{}\" is no process id: give that of an mpiexec or of a rank, or none for all jobs", text);
  return process;
}

std::chrono::duration<double> to_interval(const std::string& text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || seconds < least_interval || seconds > most_interval)
    throw UsageError("--watch is \"{}\": give seconds between two looks, {} to {}", text, least_interval,
                     most_interval);
  return std::chrono::duration<double>(seconds);
}

}  // namespace

PsOptions parse_ps_options(std::span<const std::string> arguments) {
  CLI::App cli(
      "Prints what the ranks of running jobs do: of all jobs on this machine that this user may look at, or of those "
      "of these processes. Of a job that srun or another launcher has started it shows the ranks on this machine.",
      "bowline-ps");
  declare_help(cli);
  PsOptions wanted;
  std::vector<std::string> named;
  std::string interval;
  CLI::Option* const groups = cli.add_flag("--groups", wanted.grouped, "Print ranks that do the same on one line");
  groups->disable_flag_override();
  CLI::Option* const json = cli.add_flag("--json", wanted.json, "Print a JSON document");
  json->disable_flag_override();
  CLI::Option* const queues =
      cli.add_flag("--queues", wanted.queues,
                   "Print the receives, messages and sends that are pending in the ranks, or in core files");
  queues->disable_flag_override()->excludes(groups);
  CLI::Option* const watch =
      cli.add_option("--watch", interval, "Look again every S seconds (default 2) until no job is left")
          ->expected(0, 1)
          ->default_str("2")
          ->type_name("S");
  queues->excludes(watch);
  std::string ranks;
  CLI::Option* const attach =
      cli.add_option("--attach", ranks, "Attach gdb to these ranks of one job: in tmux; to one also in this terminal");
  attach->excludes(groups)->excludes(queues)->excludes(watch)->excludes(json)->type_name("RANK[-RANK][,...]");
  CLI::Option* const record = cli.add_option(
      "--record", wanted.record,
      "Write what the ranks of one job, started with a flight recorder, have done last: a page (FILE.html), "
      "picture (FILE.svg), trace for Perfetto (FILE.json), or text (-)");
  record->excludes(groups)->excludes(queues)->excludes(watch)->excludes(json)->excludes(attach)->type_name("FILE");
  cli.add_option(
      "PID", named,
      "Process ids of mpiexec, or of ranks that another launcher has started; with --queues, of any ranks, or "
      "core files that they have left");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    return {.help = requested_help(cli)};
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::ranges::replace(sentence, '\n', ' ');
    throw UsageError("{}; \"bowline-ps --help\" lists the options", sentence);
  }
  if (watch->count() > 0) wanted.watch = to_interval(interval.empty() ? "2" : interval);
  if (!ranks.empty()) wanted.attached = to_rank_list("--attach", ranks);
  if (record->count() > 0) check_flight_output("--record", wanted.record);
  for (const std::string& each : named) {
    if (wanted.queues && each.find_first_not_of("0123456789") != std::string::npos) {
      wanted.cores.push_back(each);
    } else {
      wanted.processes.push_back(to_process(each));
    }
  }
  return wanted;
}

}  // namespace bowline::launcher
