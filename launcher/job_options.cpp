// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line with CLI11, one parser per part between colons; job-wide options may stand in any part.
#include "launcher/job_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "launcher/command_line/files.hpp"
#include "launcher/command_line/foreign.hpp"
#include "launcher/command_line/raw.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* separator_option = "--separator";

constexpr const char* footer =
    "Several programs run as one job: mpiexec -n 2 a : -n 1 b\n"
    "More ranks than cores, and root, need no permission. Ranks 1 and up read an empty standard input.\n"
    "Settings are variables, which bowline-info --tunables lists; -x BOWLINE_CHECK_COLLECTIVES=1, for example, makes\n"
    "ranks that call different collectives an error, and not a wait without end.\n"
    "The options of Open MPI's and MPICH's mpiexec are understood, too, as docs/launching.md lists them.\n"
    "Exit status: that of the first rank that failed, 128+N for signal N, 124 for --timeout, 2 for bad input.";

void declare_ranks(CLI::App& cli, RawApp& app, RawJob& job) {
  cli.add_option("-n,--n", app.ranks, "Number of ranks (default 1, or the slots of the named hosts); -np is the same")
      ->type_name("N");
  cli.add_option("-N", job.ranks_per_node, "Number of ranks on each node, at most")->type_name("N");
  cli.add_option("--ppn", job.ranks_per_turn, "Number of ranks on each node, before the first gets more")
      ->type_name("N");
  cli.add_option("-H,--host,--hosts", job.hosts,
                 "Hosts to run on; here, through srun in a Slurm allocation, or prterun")
      ->type_name("NAME[:SLOTS][,...]");
  cli.add_option("--hostfile", job.hostfile, "The same, one host per line of a file: NAME, NAME:SLOTS or NAME slots=N")
      ->type_name("FILE");
  cli.add_option("--usize", job.universe,
                 "What MPI_UNIVERSE_SIZE tells the programs (default: the slots, or the ranks if these are more)")
      ->type_name("N");
  cli.add_option("--wdir,--wd", app.wdir, "Start the ranks in this directory")->type_name("DIR");
  cli.add_option("--path", app.path, "Look for the program here before PATH")->type_name("DIR[:DIR]");
  cli.add_option_function<std::string>(
         separator_option,
         [](const std::string&) { throw UsageError("option {} must stand before all others", separator_option); },
         "The word that separates programs, instead of \":\"; must stand first")
      ->type_name("WORD");
  cli.add_option("--configfile", job.configfile, "Read the parts of the job from the lines of a file")
      ->type_name("FILE");
}

void declare_environment(CLI::App& cli, RawApp& app, RawJob& job) {
  const auto variables = [&cli](const char* names, std::vector<std::string>& into, const char* help) {
    cli.add_option(names, into, help)
        ->type_name("NAME[=VALUE]")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  variables("-x,--env", app.variables.set, "Set a variable for the ranks; a name alone passes mpiexec's own value");
  variables("--genv", job.variables.set, "Set a variable for the ranks of all programs");
  for (const auto& [raw, all] : {std::pair{&app.variables, false}, std::pair{&job.variables, true}}) {
    const std::string prefix = all ? "--g" : "--";
    const std::string whose = all ? "of all programs " : "";
    cli.add_option(prefix + "envlist", raw->list,
                   "Give the ranks " + whose + "these variables only, and HOME, PATH ...")
        ->type_name("NAME[,NAME]");
    cli.add_flag(prefix + "envnone", raw->none,
                 "Give the ranks " + whose + "none of mpiexec's variables but HOME, PATH ...");
    cli.add_flag(prefix + "envall", raw->all, "Give the ranks " + whose + "all of mpiexec's variables (default)");
  }
}

void declare_placement(CLI::App& cli, RawJob& job) {
  cli.add_option("--bind-to", job.bind_to,
                 "What each rank may run on: none, hwthread, core, l1cache ... l5cache, numa, "
                 "socket or node; core:2 is two cores; user:0+2,1+3 lists CPUs")
      ->type_name("OBJECT")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  cli.add_option("--map-by", job.map_by,
                 "How ranks are dealt out: slot, or in turn to one of these objects; ppr:2:socket "
                 "puts two on each; core:PE=4 gives each four")
      ->type_name("OBJECT[:HOW]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  cli.add_option("--rank-by", job.rank_by,
                 "How the places are numbered: slot, as dealt out, or by one of these objects")
      ->type_name("OBJECT");
  cli.add_option("--cpu-set", job.cpu_set, "Use only these CPUs")->type_name("N[-N][,...]");
  cli.add_flag("--report-bindings", job.report_bindings, "Print each rank's cores at start");
  cli.add_flag("--display-map", job.display_map, "Print where each rank goes, before the first one starts");
  cli.add_flag("--display-allocation", job.display_allocation, "Print what the machine has for the job");
  cli.add_option("--display", job.display, "These of map, allocation and bindings")->type_name("WORD[,WORD]");
}

void declare_output(CLI::App& cli, RawJob& job) {
  cli.add_flag("--tag-output", job.tag_output, "Begin each line of output with its rank and stream");
  cli.add_flag("--prepend-rank", job.prepend_rank, "Begin each line of output with its rank; -l is the same");
  cli.add_option("--prepend-pattern", job.prepend_pattern, "Begin each line with this: %r rank, %h host, %t seconds")
      ->type_name("TEXT");
  cli.add_flag("--timestamp-output", job.timestamp, "Begin each line of output with the time");
  cli.add_option("--output-dir", job.output_dir, "Write output to DIR/rank.R.out and DIR/rank.R.err instead")
      ->type_name("DIR");
  cli.add_option("--output-filename", job.output_filename,
                 "Write output to DIR/1/rank.R/stdout and .../stderr, too; :nocopy instead, :nojobid without the 1")
      ->type_name("DIR[:HOW]");
  cli.add_option("--outfile-pattern", job.out_pattern, "Write standard output to this file: %r rank, %h host")
      ->type_name("FILE");
  cli.add_option("--errfile-pattern", job.err_pattern, "Write standard error to this file")->type_name("FILE");
  cli.add_option("--output", job.output, "These of tag, rank, timestamp, merge, dir=DIR and file=FILE")
      ->type_name("WORD[,WORD]");
  cli.add_flag("--merge-stderr-to-stdout", job.merge_stderr, "Send what ranks write to standard error to the output");
  cli.add_option("--stream-buffering", job.buffering,
                 "When a rank's lines arrive: line, each as it is written (default; standard output is a "
                 "pseudo-terminal), or full, when the rank's buffers are full (a pipe)")
      ->type_name("HOW");
  cli.add_option("--stdin", job.stdin_who, "The rank that reads standard input (default 0), or all, or none")
      ->type_name("RANK");
}

void declare(CLI::App& cli, RawApp& app, RawJob& job) {
  cli.prefix_command();
  cli.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  cli.set_help_flag("-h,--help", "Print this text");
  cli.footer(footer);
  declare_ranks(cli, app, job);
  declare_environment(cli, app, job);
  declare_placement(cli, job);
  declare_output(cli, job);
  cli.add_option("--timeout", job.timeout, "End the job after this many seconds, with status 124 (or MPIEXEC_TIMEOUT)")
      ->type_name("S");
  cli.add_option("--grace", job.grace, "Seconds from a forwarded INT, TERM or HUP to KILL (default 5)")->type_name("S");
  cli.add_option("--end-with-descriptor", job.end_descriptor,
                 "End the job, silently, when this inherited descriptor is at its end of file")
      ->type_name("FD");
  cli.add_option("--initial-errhandler", job.errhandler,
                 "What errors do at first: mpi_errors_are_fatal (default), mpi_errors_abort or mpi_errors_return")
      ->type_name("HANDLER");
  cli.add_option("--memory-alloc-kinds", job.memory,
                 "Kinds of memory that the programs want to use; there are mpi and system, and MPI tells them so")
      ->type_name("KIND[,KIND]");
  cli.add_flag("-v,--verbose", job.verbose, "Say what is done");
  cli.add_flag("-q,--quiet", job.quiet, "Do not warn of options that have no effect");
  cli.add_flag("-V,--version", job.version, "Print the version");
}

/// Number of values that an option takes, for translate(); -1 if there is no such option.
int values_of(const CLI::App& cli, const std::string& name) {
  const CLI::Option* option = cli.get_option_no_throw(name);
  if (option == nullptr) return -1;
  return option->get_expected_min() > 0 && option->get_items_expected_min() > 0 ? 1 : 0;
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

/// The words after the options: the program and its arguments.
std::vector<std::string> command_of(const CLI::App& cli) {
  std::vector<std::string> rest = cli.remaining();
  if (!rest.empty() && rest[0] == "--")
    rest.erase(rest.begin());
  else if (!rest.empty() && rest[0].size() > 1 && rest[0][0] == '-')
    throw_unknown(cli, rest[0]);
  return rest;
}

/// What separates the parts of the job. Takes --separator off the arguments, of which it must be the first one.
std::string take_separator(std::span<const std::string>& arguments) {
  if (arguments.empty() || arguments[0] != separator_option) return ":";
  if (arguments.size() < 2 || arguments[1].empty()) throw UsageError("option {} needs a word", separator_option);
  std::string separator = arguments[1];
  arguments = arguments.subspan(2);
  return separator;
}

/// Parses the parts of the job in order. An option that only prints a text ends the parsing.
class Parser {
 public:
  Parsed run(std::span<const std::string> arguments) {
    const std::string separator = take_separator(arguments);
    for (auto begin = arguments.begin();;) {
      const auto end = std::find(begin, arguments.end(), separator);
      part({begin, end}, false);
      if (print_ || end == arguments.end()) break;
      begin = end + 1;
    }
    if (print_) return {.options = {}, .print = print_};
    Options options = check_raw(job_, std::move(apps_));
    options.warnings.insert(options.warnings.begin(), warnings_.begin(), warnings_.end());
    if (job_.quiet) options.warnings.clear();
    return {.options = std::move(options), .print = {}};
  }

 private:
  void part(std::span<const std::string> given, bool from_file) {
    CLI::App cli("Runs a program as the ranks of one MPI job.", "mpiexec");
    RawApp raw;
    job_.configfile.clear();
    declare(cli, raw, job_);
    // CLI11 replaces lists, so the values of earlier parts for all programs are kept here.
    std::vector<std::vector<std::string>> before;
    const auto lists = {&job_.variables.set, &job_.bind_to, &job_.map_by};
    for (std::vector<std::string>* list : lists) before.push_back(std::exchange(*list, {}));
    const OwnOption own = [&cli](const std::string& name) { return values_of(cli, name); };
    std::vector<std::string> words = translate(given, own, warnings_);
    try {
      std::reverse(words.begin(), words.end());  // CLI11 takes the words from the back
      cli.parse(words);
    } catch (const CLI::CallForHelp&) {
      print_ = cli.help();
      return;
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string text = error.what();
      throw UsageError("option {} needs a value; mpiexec --help lists the options", text.substr(0, text.find(':')));
    } catch (const CLI::ParseError& error) {
      throw UsageError("{}; mpiexec --help lists the options", error.what());
    }
    auto earlier = before.begin();
    for (std::vector<std::string>* list : lists)
      list->insert(list->begin(), earlier->begin(), earlier->end()), ++earlier;
    if (job_.version) {
      print_ = "mpiexec (Bowline) " BOWLINE_VERSION "\n";
      return;
    }
    raw.command = command_of(cli);
    raw.ranks_given = cli.count("-n") > 0;
    raw.wdir_given = cli.count("--wdir") > 0;
    if (!job_.configfile.empty()) return file(raw, from_file);
    apps_.push_back(check_app(raw, warnings_));
  }

  void file(const RawApp& raw, bool from_file) {
    const std::string path = job_.configfile;
    if (from_file) throw UsageError("--configfile {}: stands in a file of that kind, where it is not allowed", path);
    if (!raw.command.empty() || raw.ranks_given) {
      throw UsageError("--configfile {}: the programs and -n stand in the file; leave out {}", path,
                       raw.command.empty() ? "-n" : raw.command[0]);
    }
    for (const std::vector<std::string>& words : read_command_lines(path)) part(words, true);
  }

  RawJob job_;
  std::vector<App> apps_;
  std::vector<std::string> warnings_;
  std::optional<std::string> print_;
};

}  // namespace

Parsed parse_options(std::span<const std::string> arguments) {
  return Parser().run(arguments);
}

}  // namespace bowline::launcher
