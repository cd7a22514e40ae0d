// SPDX-License-Identifier: BSD-3-Clause
// See spawn_request.hpp. The values of the keys are parsed and checked as the options of mpiexec are.
#include "launcher/spawn/spawn_request.hpp"

#include <fmt/format.h>
#include <pmix_common.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "launcher/abi/libraries.hpp"
#include "launcher/command_line/raw.hpp"
#include "launcher/command_line/values.hpp"
#include "launcher/environment.hpp"
#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;
using SpawnKind = SpawnError::Kind;

/// Options of mpiexec, with which the sentences of errors begin, and what a program that spawns calls them.
constexpr std::pair<std::string_view, std::string_view> spawn_names[] = {
    {"--hostfile", "hostfile"}, {"--host", "host"},       {"--wdir", "wdir"}, {"--map-by", "map_by"},
    {"--rank-by", "rank_by"},   {"--bind-to", "bind_to"}, {"-x", "env"},      {"-n", "maxprocs"},
};

std::string in_terms_of_spawn(const std::string& sentence) {
  for (const auto& [option, name] : spawn_names) {
    if (sentence.starts_with(option) && sentence.find_first_of(" :", option.size()) == option.size())
      return std::string(name) + sentence.substr(option.size());
  }
  return sentence;
}

/// Runs a part of the conversion. A UsageError in it becomes a SpawnError of this kind.
template <class Part>
auto checked(SpawnKind kind, int app, const Part& part) {
  try {
    return part();
  } catch (const UsageError& error) {
    throw SpawnError(kind, app, in_terms_of_spawn(error.what()));
  }
}

std::string value_of(const SpawnApp& app, const char* key) {
  const auto found = app.keys.find(key);
  return found == app.keys.end() ? "" : found->second;
}

/// `path` as seen from `directory`; the directory itself if the path is empty.
std::string seen_from(const std::string& directory, const std::string& path) {
  return path.empty() ? directory : (fs::path(directory) / path).string();
}

std::string directories_seen_from(const std::string& directory, const std::string& path) {
  std::string result;
  for (const std::string& each : split(path, ':')) {
    if (!each.empty()) result += (result.empty() ? "" : ":") + seen_from(directory, each);
  }
  return result;
}

App app_of(const SpawnApp& given, const App& asking, std::vector<std::string>& warnings) {
  RawApp raw;
  raw.ranks = std::to_string(given.ranks);
  raw.ranks_given = true;
  raw.wdir = seen_from(seen_from(asking.wdir, given.wdir), value_of(given, PMIX_WDIR));
  raw.path = directories_seen_from(raw.wdir, value_of(given, spawn_path_key));
  for (const std::string& variable : given.environment) {
    if (!tells_of_outer_job(variable)) raw.variables.set.push_back(variable);
  }
  raw.command = given.arguments;
  raw.command.insert(raw.command.begin(), given.program);
  App app = check_app(raw, warnings);
  app.inherit = asking.inherit;
  const auto last = asking.environment.end() - static_cast<std::ptrdiff_t>(asking.library_variables);
  app.environment.insert(app.environment.begin(), asking.environment.begin(), last);
  return app;
}

/// Whether a list of hosts such as "a,b:2" says how many slots one of them has. (Several colons are an IPv6 address.)
bool counts_slots(const std::string& list) {
  return std::ranges::any_of(split(list, ','),
                             [](const std::string& host) { return std::ranges::count(host, ':') == 1; });
}

/// The hosts of the program, each of which must be this one; none if it names none.
std::vector<Host> hosts_of(const SpawnApp& app) {
  std::vector<Host> hosts;
  bool counted = false;
  for (const char* key : {PMIX_HOST, PMIX_ADD_HOST}) {
    const std::string list = value_of(app, key);
    if (list.empty()) continue;
    for (Host& host : parse_hosts("--host", list)) hosts.push_back(std::move(host));
    counted = counted || counts_slots(list);
  }
  for (const char* key : {PMIX_HOSTFILE, PMIX_ADD_HOSTFILE}) {
    const std::string path = value_of(app, key);
    if (path.empty()) continue;
    for (Host& host : read_hostfile(path)) hosts.push_back(std::move(host));
  }
  const std::string here = host_name();
  std::int64_t slots = 0;
  bool unlimited = hosts.empty();
  for (const Host& host : hosts) {
    if (!is_this_host(host.name, here)) {
      throw UsageError(
          "--host {}: is another host, and this mpiexec starts processes on {} only; name that one, or leave the key "
          "out",
          host.name, here);
    }
    counted = counted || host.slots != 1;
    unlimited = unlimited || host.slots == Host::all_cores;
    slots += host.slots;
  }
  if (counted && !unlimited && app.ranks > slots) {
    throw UsageError("--host: {} processes are asked for, and the named hosts have {} slots; name more slots, or none",
                     app.ranks, slots);
  }
  return hosts;
}

/// Where the processes go: as the first program that says something about it. (One job has one placement.)
RawJob placement_of(const SpawnRequest& request) {
  RawJob raw;
  for (const SpawnApp& app : request.apps) {
    const std::string ppr = value_of(app, PMIX_PPR);
    const std::string map_by = ppr.empty() ? value_of(app, PMIX_MAPBY) : "ppr:" + ppr;
    const std::string bind_to = value_of(app, PMIX_BINDTO);
    if (raw.map_by.empty() && !map_by.empty()) raw.map_by = {map_by};
    if (raw.bind_to.empty() && !bind_to.empty()) raw.bind_to = {bind_to};
    if (raw.rank_by.empty()) raw.rank_by = value_of(app, PMIX_RANKBY);
  }
  return raw;
}

/// Completes the placement by that of the asking job. Its ranks keep their cores: if each of them is bound to some of
/// its own, those of the new job get others, or may run everywhere.
void inherit_placement(const Placement& asking, const RawJob& given, Placement& own) {
  if (given.bind_to.empty() && asking.bind_to != Place::core && asking.bind_to != Place::hwthread &&
      asking.bind_to != Place::list) {
    own.bind_to = asking.bind_to;
    own.bind_count = asking.bind_count;
  }
  if (given.map_by.empty()) {
    if (asking.per_object == 0) own.map_by = asking.map_by;
    own.map_count = asking.map_count;
    own.blocks = asking.blocks;
    own.units_per_rank = asking.units_per_rank;
    own.hwthreads = asking.hwthreads;
  }
  if (given.rank_by.empty()) own.rank_by = asking.rank_by;
  if (own.cpus.empty()) own.cpus = asking.cpus;
  own.beside_others = true;
}

/// Puts the job's number before each rank in tags, and before the names of files: job 0 has those without a number.
void name_job(Options& options, int number) {
  constexpr std::string_view rank = "%r";
  const std::string prefix = fmt::format("{}:", number);
  for (size_t at = 0; (at = options.tag.find(rank, at)) != std::string::npos; at += prefix.size() + rank.size())
    options.tag.insert(at, prefix);
  for (std::string* pattern : {&options.files.out, &options.files.err}) {
    const size_t name = pattern->rfind('/') + 1;  // 0 without a directory
    if (!pattern->empty()) pattern->insert(name, fmt::format("job.{}.", number));
  }
}

void inherit(const Options& asking, const RawJob& given, Options& own) {
  inherit_placement(asking.placement, given, own.placement);
  own.tag = asking.tag;
  own.files = asking.files;
  own.merge_stderr = asking.merge_stderr;
  own.line_buffered = asking.line_buffered;
  own.report_bindings = asking.report_bindings;
  own.display_map = asking.display_map;
  own.verbose = asking.verbose;
  own.grace_s = asking.grace_s;
  own.keep_going = asking.keep_going;
  own.stdin_rank = Options::stdin_none;
}

Options options_of(const SpawnRequest& request, const Spawner& spawner) {
  const App& asking = spawner.job.options.apps.at(static_cast<size_t>(spawner.app));
  std::vector<App> apps;
  std::vector<Host> hosts;
  std::vector<std::string> warnings;  // about what has no effect: nobody reads them
  for (const SpawnApp& given : request.apps) {
    const int index = static_cast<int>(apps.size());
    apps.push_back(checked(SpawnKind::cannot_start, index, [&] { return app_of(given, asking, warnings); }));
    for (Host& host : checked(SpawnKind::no_place, index, [&] { return hosts_of(given); }))
      hosts.push_back(std::move(host));
  }
  const RawJob raw = placement_of(request);
  return checked(SpawnKind::no_place, request.apps.size() == 1 ? 0 : -1, [&] {
    Options options = check_raw(raw, std::move(apps));
    options.hosts = std::move(hosts);
    options.universe = spawner.universe;
    inherit(spawner.job.options, raw, options);
    options.placement.binds_single = spawner.replaces;
    return options;
  });
}

/// Finds the program and the libraries that it needs.
void check_program(App& app, int index) {
  if (!app.wdir.empty()) checked(SpawnKind::cannot_start, index, [&] { return check_wdir(app.wdir); });
  static_cast<void>(checked(SpawnKind::no_program, index, [&] { return program_of(app); }));
  checked(SpawnKind::cannot_start, index, [&] {
    Options alone;
    alone.apps.push_back(app);
    choose_libraries(alone);
    app = std::move(alone.apps[0]);
  });
}

}  // namespace

Job job_for(const SpawnRequest& request, const Spawner& spawner, int number) {
  if (request.apps.empty()) throw SpawnError(SpawnKind::no_program, -1, "no program is named; name one at least");
  Options options = options_of(request, spawner);
  name_job(options, number);
  for (size_t app = 0; app < options.apps.size(); ++app) check_program(options.apps[app], static_cast<int>(app));
  return checked(SpawnKind::no_place, options.apps.size() == 1 ? 0 : -1, [&] { return check_job(std::move(options)); });
}

}  // namespace bowline::launcher
