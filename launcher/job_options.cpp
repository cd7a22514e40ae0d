// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line with CLI11, one parser per part between colons; job-wide options may stand in any part.
#include "launcher/job_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "launcher/command_line/declaration.hpp"
#include "launcher/command_line/files.hpp"
#include "launcher/command_line/foreign.hpp"
#include "launcher/command_line/help.hpp"
#include "launcher/command_line/raw.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

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
      print_ = requested_help(cli, foreign_options());
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
