// SPDX-License-Identifier: BSD-3-Clause
// See limits.hpp.
#include "launcher/limits.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "launcher/usage_error.hpp"
#include "node/memory.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

// processes of mpiexec itself: mpiexec, the job's process, and the threads of that process
constexpr std::int64_t own_processes = 6;
// The streams, sockets and files of the job's process that do not depend on the number of ranks.
constexpr std::int64_t own_files = 40;
// The memory of a process that runs a small program such as sleep: its page tables, stacks and the kernel's records,
// and what the job's process keeps for it.
constexpr std::int64_t kib_of_a_rank = 192;

/// The number of processes and threads of the machine: the second number of "1/80" in the load average.
std::int64_t processes_of_all(const node::ReadFile& read) {
  std::int64_t all = 0;
  const std::string text = read("/proc/loadavg").value_or("");
  return std::sscanf(text.c_str(), "%*s %*s %*s %*d/%ld", &all) == 1 ? all : 0;
}

std::int64_t as_amount(std::uint64_t value) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(std::min(value, most));
}

/// The number of processes and threads of this user that /proc shows.
std::int64_t processes_of_user() {
  std::int64_t found = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    struct stat tasks {};
    if (stat((entry.path() / "task").c_str(), &tasks) != 0 || tasks.st_uid != getuid()) continue;
    found += std::max<std::int64_t>(1, static_cast<std::int64_t>(tasks.st_nlink) - 2);
  }
  return found;
}

Limit of_processes(std::string name, std::int64_t most, std::int64_t used) {
  return {.name = std::move(name), .what = "processes", .most = most, .used = used, .fixed = own_processes};
}

void add_process_limits(std::vector<Limit>& limits, int ranks, const node::ReadFile& read) {
  for (const auto& [path, name] : {std::pair{"/proc/sys/kernel/pid_max", "kernel.pid_max"},
                                   std::pair{"/proc/sys/kernel/threads-max", "kernel.threads-max"}}) {
    const std::uint64_t most = node::amount_in(read(path));
    if (most != node::no_limit) limits.push_back(of_processes(name, as_amount(most), processes_of_all(read)));
  }
  for (const node::ControlGroup& group : node::control_groups("pids", read)) {
    const std::uint64_t most = node::amount_in(read(group.directory + "/pids.max"));
    if (most == node::no_limit) continue;
    const std::uint64_t used = node::amount_in(read(group.directory + "/pids.current"));
    limits.push_back(of_processes(fmt::format("pids.max of the cgroup {}", group.directory), as_amount(most),
                                  used == node::no_limit ? 0 : as_amount(used)));
  }
  rlimit own{};
  const bool counted = geteuid() != 0;  // the limit does not apply to root
  if (!counted || getrlimit(RLIMIT_NPROC, &own) != 0 || own.rlim_cur == RLIM_INFINITY) return;
  const std::int64_t most = as_amount(own.rlim_cur);
  const bool close = std::int64_t{ranks} >= most / 8;  // otherwise it is not worthwhile to look at every process
  limits.push_back(of_processes("RLIMIT_NPROC (ulimit -u)", most, close ? processes_of_user() : 0));
  if (own.rlim_cur < own.rlim_max) limits.back().how_to_raise = "ulimit -u";
}

/// A channel for each stream that mpiexec reads, a file for each stream that mpiexec writes, and the connection to
/// PMIx.
std::int64_t files_of_a_rank(const Options& options) {
  const std::int64_t streams = options.merge_stderr ? 1 : 2;
  return 1 + streams * (options.files.out.empty() ? 1 : 2);
}

}  // namespace

std::vector<Limit> job_limits(const Options& options, const node::ReadFile& read) {
  std::vector<Limit> limits;
  add_process_limits(limits, options.ranks(), read);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    limits.push_back({.name = "RLIMIT_NOFILE (ulimit -Hn)",
                      .what = "open files",
                      .most = as_amount(files.rlim_max),
                      .fixed = own_files,
                      .each = files_of_a_rank(options)});
  }
  const auto bytes = static_cast<std::uint64_t>(std::int64_t{options.ranks()} * kib_of_a_rank * 1024);
  if (const auto room = node::memory_short_of(bytes, read)) {
    limits.push_back({.name = "the memory that is left " + room->where,
                      .what = "KiB of memory",
                      .most = static_cast<std::int64_t>(room->bytes / 1024),
                      .each = kib_of_a_rank});
  }
  return limits;
}

void check_limits(const Options& options, const std::vector<Limit>& limits) {
  const std::int64_t ranks = options.ranks();
  for (const Limit& limit : limits) {
    const std::int64_t needed = limit.fixed + ranks * limit.each;
    const std::int64_t free = limit.most - limit.used;
    if (needed <= free) continue;
    const std::int64_t room = std::max<std::int64_t>(0, free - limit.fixed) / limit.each;
    throw UsageError("-n {}: the job needs at least {} {}, but the limit is {}, by {}{}; ask for at most {} ranks{}",
                     ranks, needed, limit.what, limit.most, limit.name,
                     limit.used > 0 ? fmt::format(", and {} are in use", limit.used) : "", room,
                     limit.how_to_raise.empty() ? "" : ", or raise it: " + limit.how_to_raise);
  }
}

rlimit raise_open_files() {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit raised{.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  return before;
}

}  // namespace bowline::launcher
