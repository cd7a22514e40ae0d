// SPDX-License-Identifier: BSD-3-Clause
// See job_check.hpp.
#include "launcher/job_check.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <utility>

#include "launcher/capacity.hpp"
#include "launcher/debug/gdb.hpp"
#include "launcher/flight/flight_output.hpp"
#include "launcher/hang/hang_settings.hpp"
#include "launcher/job/job_records.hpp"
#include "launcher/limits.hpp"
#include "launcher/places.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// Throws UsageError for a relative path where the current directory has been removed.
fs::path absolute_path(const std::string& option, const std::string& path) {
  std::error_code error;
  fs::path result = fs::absolute(path, error);
  if (error)
    throw UsageError("{} {}: the current directory is gone ({}); name an absolute path", option, path, error.message());
  return result;
}

/// Makes the directory, but not its parents. Makes the files' names absolute, because ranks may run in other
/// directories.
void make_output_dir(OutputFiles& files) {
  const std::string& directory = files.directory;
  if (!directory.empty()) {
    if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST)
      throw UsageError("{} {}: cannot make the directory: {}", files.option, directory, strerror(errno));
    std::error_code error;
    if (!fs::is_directory(directory, error)) throw UsageError("{} {}: is not a directory", files.option, directory);
    if (access(directory.c_str(), W_OK | X_OK) != 0)
      throw UsageError("{} {}: cannot write there: {}", files.option, directory, strerror(errno));
  }
  for (std::string* file : {&files.out, &files.err}) {
    if (!file->empty()) *file = absolute_path(files.option, *file);
  }
}

/// Throws UsageError if the directory for a pattern's files does not exist or is not writable.
void check_file_pattern(const char* option, const std::string& pattern) {
  if (pattern.empty() || pattern.find('%') < pattern.rfind('/') + 1) return;
  const fs::path directory = absolute_path(option, pattern).parent_path();
  std::error_code error;
  if (!fs::is_directory(directory, error) || access(directory.c_str(), W_OK | X_OK) != 0)
    throw UsageError("{} {}: {} is not a directory where files can be made", option, pattern, directory.string());
}

/// Completes the list of the ranks. Throws UsageError.
void check_gdb(Options& options) {
  std::vector<int>& ranks = options.gdb_ranks;
  if (options.all_under_gdb) {
    ranks.resize(static_cast<std::size_t>(options.ranks()));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  if (ranks.empty()) return;
  if (ranks.back() >= options.ranks())
    throw UsageError("--gdb={}: there is no such rank; the job has the ranks 0 to {}", ranks.back(),
                     options.ranks() - 1);
  choose_gdb_place("--gdb", ranks.size());
}

}  // namespace

void check_wdir(const std::string& wdir) {
  std::error_code error;
  if (!fs::is_directory(wdir, error)) throw UsageError("--wdir {}: is not a directory; name an existing one", wdir);
  if (access(wdir.c_str(), X_OK) != 0) throw UsageError("--wdir {}: {}", wdir, strerror(errno));
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string find_program(const std::string& name, const std::string& wdir, const std::string& path) {
  if (name.empty()) throw UsageError("the name of the program is empty");
  if (name.find('/') != std::string::npos) {
    const fs::path full = fs::path(wdir) / name;
    std::error_code error;
    if (!fs::exists(full, error)) throw UsageError("{}: no such program", name);
    if (fs::is_directory(full, error)) throw UsageError("{}: is a directory, not a program", name);
    if (!is_program(full)) throw UsageError("{}: is not executable; chmod +x it, or name its interpreter", name);
    return name;
  }
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, end - begin);
    const std::string full = (directory.empty() ? "." : directory) + "/" + name;
    if (is_program(full)) return full;
    begin = end + 1;
  }
  std::error_code error;
  const bool here = fs::exists(fs::path(wdir) / name, error);
  throw UsageError("{}: no such program in PATH{}", name,
                   here ? fmt::format("; for the file here write ./{}", name) : "");
}

std::string program_of(const App& app) {
  const char* path = std::getenv("PATH");
  const std::string own = app.path.empty() ? "" : app.path + ":";
  return find_program(app.command.at(0), app.wdir, own + (path == nullptr ? "/usr/bin:/bin" : path));
}

bool names_only_this_host(const std::vector<Host>& hosts) {
  const std::string own = host_name();
  return !hosts.empty() &&
         std::all_of(hosts.begin(), hosts.end(), [&own](const Host& host) { return is_this_host(host.name, own); });
}

Job check_job(Options options) {
  count_ranks(options);
  check_limits(options, job_limits(options));
  if (places_are_limited(options.placement)) check_placement(options, Topology(caches_for(options.placement)));
  if (options.stdin_rank >= options.ranks())
    throw UsageError("--stdin {}: there are {} ranks; name one from 0, all or none", options.stdin_rank,
                     options.ranks());
  check_report(options.report);
  if (!options.record.empty()) check_flight_output("--record", options.record);
  check_gdb(options);
  static_cast<void>(hang_settings(options));  // refuses wrong values
  Job job{.options = std::move(options), .programs = {}, .host = host_name()};
  for (const App& app : job.options.apps) {
    if (!app.wdir.empty()) check_wdir(app.wdir);
    job.programs.push_back(program_of(app));
  }
  if (job.options.files.directory.empty()) {
    check_file_pattern("--outfile-pattern", job.options.files.out);
    check_file_pattern("--errfile-pattern", job.options.files.err);
  }
  make_output_dir(job.options.files);
  return job;
}

}  // namespace bowline::launcher
