// SPDX-License-Identifier: BSD-3-Clause
// See raw.hpp.
#include "launcher/command_line/raw.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "launcher/command_line/debugger_options.hpp"
#include "launcher/command_line/recovery_options.hpp"
#include "launcher/command_line/values.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

int to_ranks(std::string_view option, const std::string& text) {
  return to_number(option, text, "the number of ranks", 1, Options::most_ranks);
}

void check_sum(const std::vector<App>& apps) {
  std::int64_t sum = 0;
  for (const App& app : apps) sum += app.ranks;
  if (sum > Options::most_ranks)
    throw UsageError("-n: the programs have {} ranks together; at most {} are allowed", sum, Options::most_ranks);
}

/// Adds the listed variables of mpiexec's environment, as far as they are set.
void append_listed(const std::string& list, std::vector<std::pair<std::string, std::string>>& environment) {
  for (const std::string& name : split(list, ',')) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    if (value != nullptr) environment.emplace_back(name, value);
  }
}

/// Adds variables that the user sets or passes on. A variable that is not set causes a warning only, as in Open MPI.
void append_set(std::string_view option, const std::vector<std::string>& texts,
                std::vector<std::pair<std::string, std::string>>& environment, std::vector<std::string>& warnings) {
  for (const std::string& text : texts) {
    if (auto variable = to_variable(option, text))
      environment.push_back(std::move(*variable));
    else
      warnings.push_back(fmt::format("{0} {1}: is not set in the environment; {0} {1}=VALUE sets it", option, text));
  }
}

/// Whether the ranks get all of mpiexec's variables; nullopt if the user has not chosen.
std::optional<bool> inherits(const RawVariables& raw) {
  if (raw.none || !raw.list.empty()) return false;
  return raw.all ? std::optional(true) : std::nullopt;
}

/// Words of --output and --display, and the flag of mpiexec that each stands for.
using Flag = bool RawJob::*;
constexpr Word<Flag> output_words[] = {
    {"tag", &RawJob::tag_output},          {"rank", &RawJob::prepend_rank},
    {"timestamp", &RawJob::timestamp},     {"merge", &RawJob::merge_stderr},
    {"tag-detailed", &RawJob::tag_output}, {"merge-stderr-to-stdout", &RawJob::merge_stderr},
    {"tag-fullname", &RawJob::tag_output},
};
constexpr Word<Flag> display_words[] = {
    {"map", &RawJob::display_map},          {"allocation", &RawJob::display_allocation},
    {"bind", &RawJob::report_bindings},     {"alloc", &RawJob::display_allocation},
    {"bindings", &RawJob::report_bindings}, {"map-devel", &RawJob::display_map},
};

/// Words of --stream-buffering, and whether they ask for lines. The numbers are Open MPI's.
constexpr Word<bool> buffering_words[] = {{"line", true}, {"full", false}, {"0", true}, {"1", true}, {"2", false}};

/// Replaces --output tag,merge,dir=DIR,file=FILE and --display map,bind by the separate options that they stand for.
RawJob spread(RawJob raw) {
  for (const std::string& word : split(raw.display, ',')) {
    if (!word.empty()) raw.*to_choice<Flag>("--display", word, display_words) = true;
  }
  for (const std::string& word : split(raw.output, ',')) {
    if (word.starts_with("dir="))
      raw.output_filename = word.substr(4);
    else if (word.starts_with("file="))
      raw.out_pattern = raw.err_pattern = word.substr(5) + ".%r";
    else if (!word.empty())
      raw.*to_choice<Flag>("--output", word, output_words) = true;
  }
  return raw;
}

std::string tag_of(const RawJob& raw) {
  std::string tag = raw.timestamp ? "%T " : "";
  if (!raw.prepend_pattern.empty()) return tag + raw.prepend_pattern;
  if (raw.tag_output) return tag + "[%r]<%s> ";
  return raw.prepend_rank ? tag + "[%r] " : tag;
}

/// Open MPI's DIR[:nojobid,nocopy]: a directory for the job, which contains one for each rank.
OutputFiles files_by_rank(const std::string& text) {
  const size_t colon = text.rfind(':');
  OutputFiles files{
      .out = {}, .err = {}, .forwarded = true, .directory = text.substr(0, colon), .option = "--output-filename"};
  if (files.directory.empty()) throw UsageError("--output-filename {}: the name of the directory is missing", text);
  std::string job = "/1";
  for (const std::string& how : split(colon == std::string::npos ? "" : text.substr(colon + 1), ',')) {
    if (how == "nojobid")
      job.clear();
    else if (how == "nocopy")
      files.forwarded = false;
    else if (!how.empty())
      throw UsageError("--output-filename {}: behind the colon may stand nojobid and nocopy, not {}", text, how);
  }
  files.out = files.directory + job + "/rank.%0/stdout";
  files.err = files.directory + job + "/rank.%0/stderr";
  return files;
}

OutputFiles files_of(const RawJob& raw) {
  if (!raw.output_dir.empty()) {
    return {.out = raw.output_dir + "/rank.%r.out",
            .err = raw.output_dir + "/rank.%r.err",
            .forwarded = false,
            .directory = raw.output_dir,
            .option = "--output-dir"};
  }
  if (!raw.output_filename.empty()) return files_by_rank(raw.output_filename);
  return {.out = raw.out_pattern, .err = raw.err_pattern, .forwarded = false, .directory = {}, .option = {}};
}

void set_hosts(const RawJob& raw, Options& options) {
  if (!raw.hosts.empty())
    options.hosts = parse_hosts("--host", raw.hosts);
  else if (!raw.hostfile.empty())
    options.hosts = read_hostfile(raw.hostfile);
  if (!raw.ranks_per_node.empty()) options.ranks_per_node = to_ranks("-N", raw.ranks_per_node);
  if (!raw.ranks_per_turn.empty()) {
    options.ranks_per_node = to_ranks("--ppn", raw.ranks_per_turn);
    options.ranks_wrap = true;
  }
}

void set_placement(const RawJob& raw, Options& options) {
  for (const std::string& text : raw.bind_to) parse_bind_to(text, options.placement, options.warnings);
  for (const std::string& text : raw.map_by) parse_map_by(text, options.placement, options.warnings);
  if (!raw.rank_by.empty()) parse_rank_by(raw.rank_by, options.placement);
  if (!raw.cpu_set.empty()) options.placement.cpus = to_cpus("--cpu-set", raw.cpu_set, ',');
  if (options.placement.per_object > 0 && options.placement.map_by == Place::node && !options.ranks_per_node) {
    options.ranks_per_node = options.placement.per_object;  // ppr:N:node has the meaning of -N
    options.placement.per_object = 0;
  }
}

void set_streams(const RawJob& raw, Options& options) {
  options.tag = tag_of(raw);
  options.files = files_of(raw);
  options.merge_stderr = raw.merge_stderr;
  if (!raw.buffering.empty())
    options.line_buffered = to_choice<bool>("--stream-buffering", raw.buffering, buffering_words);
  if (raw.buffering == "0")
    options.warnings.emplace_back("--stream-buffering 0: is taken for line; what ranks print appears line by line");
  if (raw.stdin_who == "all")
    options.stdin_rank = Options::stdin_all;
  else if (raw.stdin_who == "none")
    options.stdin_rank = Options::stdin_none;
  else if (!raw.stdin_who.empty())
    options.stdin_rank =
        to_number("--stdin", raw.stdin_who, "who reads standard input, if not all or none,", 0, Options::most_ranks);
}

void set_times(const RawJob& raw, Options& options) {
  options.timeout_name = "--timeout";
  const char* variable = std::getenv("MPIEXEC_TIMEOUT");
  if (!raw.timeout.empty()) {
    options.timeout_s = to_seconds("--timeout", raw.timeout);
  } else if (variable != nullptr && *variable != '\0' && std::string_view(variable) != "0") {  // 0: no limit
    options.timeout_name = "MPIEXEC_TIMEOUT";
    options.timeout_s = to_seconds("MPIEXEC_TIMEOUT", variable);
  }
  options.grace_given = !raw.grace.empty();
  if (options.grace_given) options.grace_s = to_seconds("--grace", raw.grace);
}

/// MPICH's words stand for the number of slots, and for as many processes as can be.
int to_universe(std::string_view option, const std::string& text) {
  if (lower_case(text) == "infinite") return Options::most_ranks;
  return to_number(option, text, "the size of the universe, if not system or infinite,", 1, Options::most_ranks);
}

void set_universe(const RawJob& raw, Options& options) {
  std::string option = "--usize", text = raw.universe;
  options.universe_given = !text.empty();
  for (const char* name : {"MPIEXEC_UNIVERSE_SIZE", "OMPI_UNIVERSE_SIZE"}) {
    const char* const value = std::getenv(name);
    if (!text.empty() || value == nullptr) continue;
    option = name;
    text = value;
  }
  if (!text.empty() && lower_case(text) != "system") options.universe = to_universe(option, text);
}

void set_end_descriptor(const RawJob& raw, Options& options) {
  if (raw.end_descriptor.empty()) return;
  constexpr int most = 1 << 20;
  const std::string& text = raw.end_descriptor;
  options.end_descriptor = to_number("--end-with-descriptor", text, "the descriptor", STDERR_FILENO + 1, most);
  if (fcntl(options.end_descriptor, F_GETFD) < 0) {
    throw UsageError("--end-with-descriptor {}: is not open; name a descriptor that mpiexec inherits",
                     options.end_descriptor);
  }
}

void set_programming_model(const RawJob& raw, Options& options) {
  constexpr Word<std::string_view> handlers[] = {{"mpi_errors_are_fatal", "mpi_errors_are_fatal"},
                                                 {"mpi_errors_abort", "mpi_errors_abort"},
                                                 {"mpi_errors_return", "mpi_errors_return"}};
  if (!raw.errhandler.empty())
    options.initial_errhandler = to_choice<std::string_view>("--initial-errhandler", raw.errhandler, handlers);
  for (const std::string& kind : split(raw.memory, ',')) {
    const std::string name = kind.substr(0, kind.find(':'));  // properties follow the colon
    if (!name.empty() && name != "mpi" && name != "system") options.unsupported_memory.push_back(name);
  }
}

}  // namespace

App check_app(const RawApp& raw, std::vector<std::string>& warnings) {
  if (raw.command.empty()) throw UsageError("no program given; write mpiexec -n N program arguments");
  App app;
  app.ranks_given = raw.ranks_given;
  if (app.ranks_given) app.ranks = to_ranks("-n", raw.ranks);
  if (raw.wdir_given && raw.wdir.empty()) throw UsageError("--wdir: the directory is empty");
  app.command = raw.command;
  app.wdir = raw.wdir;
  app.path = raw.path;
  app.inherit = inherits(raw.variables);
  append_listed(raw.variables.list, app.environment);
  append_set("-x", raw.variables.set, app.environment, warnings);
  return app;
}

Options check_raw(const RawJob& given, std::vector<App> apps) {
  const RawJob raw = spread(given);
  Options options;
  check_sum(apps);
  options.apps = std::move(apps);
  std::vector<std::pair<std::string, std::string>> global;
  append_listed(raw.variables.list, global);
  append_set("--genv", raw.variables.set, global, options.warnings);
  for (App& app : options.apps) {
    app.environment.insert(app.environment.begin(), global.begin(), global.end());
    if (!app.inherit) app.inherit = inherits(raw.variables).value_or(true);
  }
  set_hosts(raw, options);
  set_placement(raw, options);
  set_streams(raw, options);
  set_times(raw, options);
  set_universe(raw, options);
  set_end_descriptor(raw, options);
  set_programming_model(raw, options);
  set_recovery(raw, options);
  set_debugger(raw, options);
  options.report_bindings = raw.report_bindings;
  options.display_map = raw.display_map;
  options.display_allocation = raw.display_allocation;
  options.explain = raw.explain;
  options.verbose = raw.verbose;
  options.report = raw.report;
  options.record = raw.record;
  return options;
}

}  // namespace bowline::launcher
