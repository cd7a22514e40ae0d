// SPDX-License-Identifier: BSD-3-Clause
// Starts ranks by fork and exec. Finds descendants in /proc, because a process that calls setsid leaves its process
// group.
#include "launcher/job/rank_process.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "launcher/debug/await_debugger.hpp"
#include "launcher/debug/held_process.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

// The headers of older systems lack this number; it is the same on all architectures.
#ifndef SYS_close_range
constexpr long SYS_close_range = 436;
#endif
constexpr unsigned on_exec = 4;  // CLOSE_RANGE_CLOEXEC

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& text : strings) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// Runs in the child of a process with threads, so it makes only calls that need no lock.
[[noreturn]] void fail_in_child(const char* what, const ProcessSpec& spec, int error) {
  char text[512];
  const auto [end, size] = fmt::format_to_n(text, sizeof text, "mpiexec: rank {}: cannot {} {}: {}\n", spec.rank, what,
                                            what[0] == 'e' ? spec.wdir : spec.program, strerrordesc_np(error));
  (void)!write(STDERR_FILENO, text, end - text);
  _exit(error == ENOENT ? 127 : 126);
}

/// Runs in the child of a process with threads. One of them may be between opening a descriptor and marking it, as
/// PMIx's is when a rank connects: without this the next rank would hold the server's end of that connection. Kernels
/// before 5.11 lack the call.
void close_others_on_exec(const std::vector<int>& kept) {
  unsigned first = STDERR_FILENO + 1;
  for (const int descriptor : kept) {
    const auto next = static_cast<unsigned>(descriptor);
    if (next > first) syscall(SYS_close_range, first, next - 1, on_exec);
    first = next + 1;
  }
  syscall(SYS_close_range, first, ~0U, on_exec);
}

[[noreturn]] void become(const ProcessSpec& spec, const std::vector<int>& kept, pid_t parent, char* const* arguments,
                         char** environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before prctl took effect
  dup2(spec.stdin_fd, STDIN_FILENO);
  dup2(spec.stdout_fd, STDOUT_FILENO);
  dup2(spec.stderr_fd, STDERR_FILENO);
  close_others_on_exec(kept);
  for (const int each : kept) fcntl(each, F_SETFD, 0);
  setrlimit(RLIMIT_NOFILE, &spec.open_files);
  if (!spec.cpu_mask.empty()) {
    // The code makes the system call itself, because glibc's function takes masks of one fixed size.
    syscall(SYS_sched_setaffinity, 0, spec.cpu_mask.size() * sizeof(unsigned long), spec.cpu_mask.data());
  }
  if (!spec.wdir.empty() && chdir(spec.wdir.c_str()) != 0) fail_in_child("enter", spec, errno);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (spec.gate >= 0) await_debugger(spec.gate);
  execvpe(spec.program.c_str(), arguments, environment);
  fail_in_child("run", spec, errno);
}

/// The fields of /proc/PID/stat that are needed here.
struct Stat {
  char state;
  pid_t parent;
  unsigned flags;  ///< PF_*
};

std::optional<Stat> stat_of(pid_t pid) {
  const int fd = open(fmt::format("/proc/{}/stat", pid).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;  // the process is gone
  char text[512];
  const ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  const char* end = strrchr(text, ')');  // end of the name, which may contain spaces and parentheses
  Stat stat{};
  if (end == nullptr || sscanf(end + 1, " %c %d %*d %*d %*d %*d %u", &stat.state, &stat.parent, &stat.flags) != 3) {
    return std::nullopt;
  }
  return stat;
}

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, int (*)(DIR*)> proc(opendir("/proc"), closedir);
  if (!proc) throw LaunchError("cannot read /proc: {}", strerror(errno));
  while (const dirent* entry = readdir(proc.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto pid = static_cast<pid_t>(strtol(entry->d_name, nullptr, 10));
    if (const auto stat = stat_of(pid)) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found = {getpid()};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

/// Whether the program that the process runs was started with this variable (NAME=VALUE).
bool was_started_with(pid_t pid, std::string_view variable) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  for (std::string text; std::getline(file, text, '\0');) {
    if (text == variable) return true;
  }
  return false;
}

}  // namespace

pid_t start_process(const ProcessSpec& spec) {
  const std::vector<char*> arguments = pointers(spec.arguments);
  std::vector<char*> environment = pointers(spec.environment);
  std::vector<int> kept = spec.kept_fds;
  std::ranges::sort(kept);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    throw LaunchError("cannot start rank {}: fork: {}{}", spec.rank, strerror(errno),
                      errno == EAGAIN ? "; a limit on processes is reached (ulimit -u, pids.max of a cgroup, "
                                        "kernel.pid_max); run fewer ranks"
                                      : "");
  }
  if (pid == 0) become(spec, kept, parent, arguments.data(), environment.data());
  setpgid(pid, pid);  // also here, because a signal may have to be sent before the child has run
  return pid;
}

std::vector<int> inheritable_descriptors() {
  std::vector<int> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> open_ones(opendir("/proc/self/fd"), closedir);
  if (!open_ones) throw LaunchError("cannot read /proc/self/fd: {}", strerror(errno));
  while (const dirent* entry = readdir(open_ones.get())) {
    if (entry->d_name[0] == '.') continue;
    const auto descriptor = static_cast<int>(strtol(entry->d_name, nullptr, 10));
    const int flags = fcntl(descriptor, F_GETFD);
    if (descriptor > STDERR_FILENO && flags >= 0 && (flags & FD_CLOEXEC) == 0) found.push_back(descriptor);
  }
  std::ranges::sort(found);
  return found;
}

bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool is_ending(pid_t pid) {
  constexpr unsigned exiting = 0x4;  // the kernel's PF_EXITING: the process is releasing its memory and files
  const auto stat = stat_of(pid);
  return !stat || stat->state == 'Z' || stat->state == 'X' || (stat->flags & exiting) != 0;
}

bool is_stopped(pid_t pid) {
  const auto stat = stat_of(pid);
  return stat && (stat->state == 'T' || stat->state == 't');
}

bool survives(pid_t pid, int signal) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
  for (std::string name, value; status >> name && std::getline(status, value);) {
    if ((name == "SigCgt:" || name == "SigIgn:") && (std::stoull(value, nullptr, 16) & bit) != 0) return true;
  }
  return false;
}

void signal_descendants(int signal) {
  for (pid_t pid : descendants()) kill(pid, signal);
}

std::vector<pid_t> descendants_of(const std::string& name) {
  const std::string variable = "PMIX_NAMESPACE=" + name;
  std::vector<pid_t> found = descendants();
  std::erase_if(found, [&](pid_t pid) { return !was_started_with(pid, variable); });
  return found;
}

void end_descendants() {
  constexpr int looks_before_gdb = 1000;
  for (int looks = 0; has_children(); ++looks) {
    signal_descendants(SIGKILL);
    // The children of a killed process belong to this process before the killed process can be reaped, so the next walk
    // sees the children.
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (!has_children()) return;
    if (looks >= looks_before_gdb) std::ranges::for_each(descendants(), end_gdb_of);
    poll(nullptr, 0, 1);
  }
}

}  // namespace bowline::launcher
