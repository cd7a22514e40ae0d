// SPDX-License-Identifier: BSD-3-Clause
// See check.hpp.
#include "launcher/check.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "launcher/error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

bool is_program(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

/// A name that means this machine.
bool is_this_host(const std::string& name, const std::string& host) {
  if (name == "localhost" || name == "127.0.0.1" || name == "::1" || name == host) return true;
  const auto first_label = [](const std::string& text) { return text.substr(0, text.find('.')); };
  return first_label(name) == first_label(host) &&
         (name.find('.') == std::string::npos || host.find('.') == std::string::npos);
}

void check_hosts(const std::vector<std::string>& hosts, const std::string& host) {
  for (const std::string& entry : hosts) {
    const std::string name = entry.substr(0, entry.find(':'));  // others write NAME:SLOTS; slots mean nothing here
    if (name.empty()) throw UsageError("--host {}: the name of a host is missing", entry);
    if (!is_this_host(name, host)) {
      throw UsageError(
          "--host {}: mpiexec starts ranks on this machine ({}) only; for several hosts use srun --mpi=pmix in a Slurm "
          "allocation, or prterun",
          name, host);
    }
  }
}

void check_wdir(const std::string& wdir) {
  std::error_code error;
  if (!fs::is_directory(wdir, error)) throw UsageError("--wdir {}: is not a directory; name an existing one", wdir);
  if (access(wdir.c_str(), X_OK) != 0) throw UsageError("--wdir {}: {}", wdir, strerror(errno));
}

void make_output_dir(std::string& directory) {
  if (mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST) {
    throw UsageError("--output-dir {}: cannot make the directory: {}", directory, strerror(errno));
  }
  std::error_code error;
  if (!fs::is_directory(directory, error)) throw UsageError("--output-dir {}: is not a directory", directory);
  if (access(directory.c_str(), W_OK | X_OK) != 0) {
    throw UsageError("--output-dir {}: cannot write there: {}", directory, strerror(errno));
  }
  directory = fs::absolute(directory);
}

}  // namespace

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

bool names_only_this_host(const std::vector<std::string>& hosts) {
  const std::string host = host_name();
  return !hosts.empty() && std::all_of(hosts.begin(), hosts.end(), [&host](const std::string& entry) {
    return is_this_host(entry.substr(0, entry.find(':')), host);
  });
}

namespace {

/// -N alone says how many ranks there are; with -n it must fit on this one node.
void apply_ranks_per_node(Options& options) {
  if (!options.ranks_per_node) return;
  const int most = *options.ranks_per_node;
  if (options.apps.size() == 1 && !options.apps[0].ranks_given) options.apps[0].ranks = most;
  if (options.ranks() > most) {
    throw UsageError(
        "-N {}: {} ranks are asked for, and this mpiexec has one node; raise -N, or run it in a Slurm "
        "allocation of several nodes",
        most, options.ranks());
  }
}

}  // namespace

ProcessLimit process_limit() {
  ProcessLimit least{.most = Options::most_ranks, .set_by = "mpiexec"};
  const auto take = [&least](std::int64_t most, const char* set_by) {
    if (most < least.most) least = {.most = most, .set_by = set_by};
  };
  for (const auto& [path, name] : {std::pair{"/proc/sys/kernel/pid_max", "kernel.pid_max"},
                                   std::pair{"/proc/sys/kernel/threads-max", "kernel.threads-max"}}) {
    std::int64_t value = 0;
    if (std::ifstream(path) >> value) take(value, name);
  }
  rlimit own{};
  const bool counted = geteuid() != 0;  // root may have more
  if (counted && getrlimit(RLIMIT_NPROC, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
    take(static_cast<std::int64_t>(std::min<rlim_t>(own.rlim_cur, Options::most_ranks)), "ulimit -u");
  return least;
}

void check_ranks(const Options& options, const ProcessLimit& limit) {
  if (options.ranks() < limit.most) return;  // mpiexec is a process too
  throw UsageError(
      "-n {}: this machine cannot have so many processes: at most {} of all kinds, by {}; ask for fewer ranks",
      options.ranks(), limit.most, limit.set_by);
}

Job check_job(Options options) {
  apply_ranks_per_node(options);
  check_ranks(options, process_limit());
  Job job{.options = std::move(options), .programs = {}, .host = host_name(), .scratch = {}};
  check_hosts(job.options.hosts, job.host);
  const char* path = std::getenv("PATH");
  for (const App& app : job.options.apps) {
    if (!app.wdir.empty()) check_wdir(app.wdir);
    job.programs.push_back(find_program(app.command[0], app.wdir, path == nullptr ? "/usr/bin:/bin" : path));
  }
  if (!job.options.output_dir.empty()) make_output_dir(job.options.output_dir);
  return job;
}

}  // namespace bowline::launcher
