// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line with CLI11, one parser per part between colons; job-wide options may stand in any part.
#include "launcher/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "launcher/error.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* footer =
    "Several programs run as one job: mpiexec -n 2 a : -n 1 b\n"
    "More ranks than cores, and root, need no permission. Ranks 1 and up read an empty standard input.\n"
    "Exit status: that of the first rank that failed, 128+N for signal N, 124 for --timeout, 2 for bad input.";

/// The texts of one part, before they are checked.
struct RawApp {
  std::string ranks, wdir;
  std::vector<std::string> environment;
};

struct RawJob {
  std::string hosts, ranks_per_node, bind_to, map_by, output_dir, timeout, grace, errhandler, memory;
  bool report_bindings = false, tag_output = false, verbose = false, version = false, ignored = false;
};

void declare(CLI::App& cli, RawApp& app, RawJob& job) {
  cli.prefix_command();
  cli.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  cli.set_help_flag("-h,--help", "Print this text");
  cli.footer(footer);
  cli.add_option("-n,--n,--np", app.ranks, "Number of ranks (default 1); -np is the same")->type_name("N");
  cli.add_option("-N,--ppn", job.ranks_per_node, "Number of ranks on each node")->type_name("N");
  cli.add_option("-x,--env", app.environment, "Set a variable for the ranks; a name alone passes mpiexec's own value")
      ->type_name("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  cli.add_option("--wdir,--wd", app.wdir, "Start the ranks in this directory")->type_name("DIR");
  cli.add_option("-H,--host,--hosts", job.hosts, "Hosts to run on; one node's mpiexec accepts its own names")
      ->type_name("NAME[,NAME]");
  cli.add_option("--bind-to", job.bind_to, "What each rank may run on: core, numa, socket or none")
      ->type_name("OBJECT");
  cli.add_option("--map-by", job.map_by, "How ranks are dealt out: slot, core, numa or socket")->type_name("OBJECT");
  cli.add_flag("--report-bindings", job.report_bindings, "Print each rank's cores at start");
  cli.add_flag("--tag-output", job.tag_output, "Begin each line of output with its rank and stream");
  cli.add_option("--output-dir", job.output_dir, "Write output to DIR/rank.R.out and DIR/rank.R.err instead")
      ->type_name("DIR");
  cli.add_option("--timeout", job.timeout, "End the job after this many seconds, with status 124")->type_name("S");
  cli.add_option("--grace", job.grace, "Seconds from a forwarded INT, TERM, HUP or QUIT to KILL (default 5)")
      ->type_name("S");
  cli.add_option("--initial-errhandler", job.errhandler,
                 "What errors do at first: mpi_errors_are_fatal (default), mpi_errors_abort or mpi_errors_return")
      ->type_name("HANDLER");
  cli.add_option("--memory-alloc-kinds", job.memory,
                 "Kinds of memory that the programs want to use; there are mpi and system, and MPI tells them so")
      ->type_name("KIND[,KIND]");
  cli.add_flag("-v,--verbose", job.verbose, "Say what is done");
  cli.add_flag("-V,--version", job.version, "Print the version");
  // Other launchers refuse to do this unless asked; here it is always allowed, so the words mean nothing.
  cli.add_flag("--oversubscribe,--allow-run-as-root", job.ignored, "Accepted for scripts made for other launchers");
}

/// Users write long names after one dash too (-np, -host, -wdir): makes them two, up to where the program begins.
void lengthen_dashes(const CLI::App& cli, std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--"; ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const CLI::Option* option = cli.get_option_no_throw(name);
    if (option == nullptr && name.size() > 2 && name[1] != '-') {
      option = cli.get_option_no_throw("-" + name);
      if (option != nullptr) words[i].insert(0, "-");
    }
    if (option != nullptr && option->get_expected_min() > 0 && option->get_items_expected_min() > 0 &&
        equals == std::string::npos) {
      ++i;  // its value
    }
  }
}

int to_ranks(const char* option, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1 || value > Options::most_ranks) {
    throw UsageError("{} {}: the number of ranks must be a whole number of at least 1 and at most {}", option, text,
                     Options::most_ranks);
  }
  return value;
}

void check_sum(const std::vector<App>& apps) {
  std::int64_t sum = 0;
  for (const App& app : apps) sum += app.ranks;
  if (sum > Options::most_ranks)
    throw UsageError("-n: the programs have {} ranks together; at most {} are allowed", sum, Options::most_ranks);
}

double to_seconds(const char* option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e9) {
    throw UsageError("{} {}: must be a number of seconds above 0, and at most 1000000000", option, text);
  }
  return value;
}

template <class T>
T to_choice(const char* option, const std::string& text, const std::map<std::string, T>& choices) {
  if (const auto found = choices.find(text); found != choices.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
  throw UsageError("{} {}: must be one of {}", option, text, names);
}

std::pair<std::string, std::string> to_variable(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) throw UsageError("-x {}: the name of the variable is missing; write -x NAME=VALUE", text);
  if (equals != std::string::npos) return {name, text.substr(equals + 1)};
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) throw UsageError("-x {}: is not set in the environment; write -x {}=VALUE", name, name);
  return {name, value};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

[[noreturn]] void throw_unknown(const CLI::App& cli, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::string nearest;
  for (const CLI::Option* option : cli.get_options()) {
    for (const std::string& known : option->get_lnames()) {
      const std::string full = "--" + known;
      const size_t common = std::mismatch(name.begin(), name.end(), full.begin(), full.end()).first - name.begin();
      if (common >= 5 && nearest.empty()) nearest = fmt::format(" (did you mean {}?)", full);
    }
  }
  throw UsageError("unknown option {}{}; mpiexec --help lists the options", name, nearest);
}

App check_app(const CLI::App& cli, const RawApp& raw, std::vector<std::string> rest) {
  App app;
  if (!rest.empty() && rest[0] == "--")
    rest.erase(rest.begin());
  else if (!rest.empty() && rest[0].size() > 1 && rest[0][0] == '-')
    throw_unknown(cli, rest[0]);
  if (rest.empty()) throw UsageError("no program given; write mpiexec -n N program arguments");
  app.ranks_given = cli.count("-n") > 0;
  if (app.ranks_given) app.ranks = to_ranks("-n", raw.ranks);
  if (cli.count("--wdir") > 0 && raw.wdir.empty()) throw UsageError("--wdir: the directory is empty");
  app.command = std::move(rest);
  app.wdir = raw.wdir;
  for (const std::string& text : raw.environment) app.environment.push_back(to_variable(text));
  return app;
}

void check_job(const RawJob& raw, Options& options) {
  if (!raw.hosts.empty()) options.hosts = split(raw.hosts, ',');
  if (!raw.bind_to.empty()) {
    options.bind_to = to_choice<BindTo>(
        "--bind-to", raw.bind_to,
        {{"core", BindTo::core}, {"numa", BindTo::numa}, {"socket", BindTo::socket}, {"none", BindTo::none}});
  }
  if (!raw.map_by.empty()) {
    options.map_by = to_choice<MapBy>(
        "--map-by", raw.map_by,
        {{"slot", MapBy::slot}, {"core", MapBy::core}, {"numa", MapBy::numa}, {"socket", MapBy::socket}});
  }
  if (!raw.errhandler.empty()) {
    options.initial_errhandler = to_choice<std::string>("--initial-errhandler", raw.errhandler,
                                                        {{"mpi_errors_are_fatal", "mpi_errors_are_fatal"},
                                                         {"mpi_errors_abort", "mpi_errors_abort"},
                                                         {"mpi_errors_return", "mpi_errors_return"}});
  }
  for (const std::string& kind : split(raw.memory, ',')) {
    const std::string name = kind.substr(0, kind.find(':'));  // behind it stand properties
    if (!name.empty() && name != "mpi" && name != "system") options.unsupported_memory.push_back(name);
  }
  options.report_bindings = raw.report_bindings;
  options.tag_output = raw.tag_output;
  options.verbose = raw.verbose;
  options.output_dir = raw.output_dir;
  if (!raw.timeout.empty()) options.timeout_s = to_seconds("--timeout", raw.timeout);
  options.grace_given = !raw.grace.empty();
  if (options.grace_given) options.grace_s = to_seconds("--grace", raw.grace);
  if (!raw.ranks_per_node.empty()) options.ranks_per_node = to_ranks("-N", raw.ranks_per_node);
}

}  // namespace

Parsed parse_options(std::span<const std::string> arguments) {
  Parsed parsed;
  RawJob job;
  auto begin = arguments.begin();
  while (true) {
    const auto end = std::find(begin, arguments.end(), ":");
    std::vector<std::string> words(begin, end);
    CLI::App cli("Runs a program as the ranks of one MPI job on this node.", "mpiexec");
    RawApp raw;
    declare(cli, raw, job);
    lengthen_dashes(cli, words);
    try {
      std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
      cli.parse(words);
    } catch (const CLI::CallForHelp&) {
      return {.options = {}, .print = cli.help()};
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string text = error.what();
      throw UsageError("option {} needs a value; mpiexec --help lists the options", text.substr(0, text.find(':')));
    } catch (const CLI::ParseError& error) {
      throw UsageError("{}; mpiexec --help lists the options", error.what());
    }
    if (job.version) return {.options = {}, .print = "mpiexec (Bowline) " BOWLINE_VERSION "\n"};
    parsed.options.apps.push_back(check_app(cli, raw, cli.remaining()));
    if (end == arguments.end()) break;
    begin = end + 1;
  }
  check_sum(parsed.options.apps);
  check_job(job, parsed.options);
  return parsed;
}

}  // namespace bowline::launcher
