// SPDX-License-Identifier: BSD-3-Clause
// See doctor.hpp. Two sibling processes represent two ranks, because the rights of a parent over its child say nothing
// about them.
#include "launcher/info/doctor.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"
#include "node/host.hpp"
#include "node/segment.hpp"

namespace bowline::launcher {
namespace {

using Verdict = Finding::Verdict;

constexpr std::uint64_t pattern = 0x0123456789abcdef;
constexpr std::size_t segment_bytes = 1 << 20;

/// Runs `body` in a child and returns its exit status; -1 if the fork fails or a signal ends the child.
template <class Body>
int in_child(Body body) {
  const pid_t pid = fork();
  if (pid < 0) return -1;
  if (pid == 0) _exit(body());
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// A child process that only owns memory and descriptors. The destructor ends it.
class Sibling {
 public:
  Sibling() : pid_(fork()) {
    if (pid_ == 0) {
      alarm(60);  // ends the child if its parent is killed
      while (true) pause();
    }
  }
  ~Sibling() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Sibling(const Sibling&) = delete;
  Sibling& operator=(const Sibling&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

Finding examine_cores() {
  const int usable = node::usable_cores();
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const std::string note = usable < online ? "; taskset, a container or the batch system keeps the others" : "";
  return {Verdict::good, "cores", fmt::format("{} of {} CPUs may be used{}", usable, online, note)};
}

Finding examine_shared_memory() {
  try {
    node::Segment segment = node::Segment::create("bowline-doctor", segment_bytes);
    segment.reserve(0, segment_bytes);
    const node::Ticket& ticket = segment.offer();
    const node::Mapping mapping = segment.map(0, segment_bytes);
    std::byte* const place = mapping.data() + segment_bytes - sizeof pattern;
    std::memcpy(place, &pattern, sizeof pattern);
    const int status = in_child([&] {
      try {
        const node::Mapping seen = node::Segment::open(ticket, segment_bytes).segment.map(0, segment_bytes);
        return std::memcmp(seen.data() + (place - mapping.data()), &pattern, sizeof pattern) == 0 ? 0 : 1;
      } catch (const Error&) {
        return 2;
      }
    });
    if (status == 0) return {Verdict::good, "shared memory", "memory files can be made, and opened by another process"};
    return {Verdict::broken, "shared memory",
            "another process gets this process's memory file neither through /proc/PID/fd nor through a Unix socket; "
            "ranks of one node need the same user, and the same pid namespace with a mounted /proc or the same network "
            "namespace"};
  } catch (const Error& error) {
    return {Verdict::broken, "shared memory", error.what()};
  }
}

std::string yama_scope() {
  std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
  std::string scope;
  return file >> scope ? scope : "0";
}

Finding examine_single_copy() {
  const std::uint64_t source = pattern;
  const Sibling owner;  // the forked process has the same memory at the same addresses
  const int failure = in_child([&] {
    std::uint64_t target = 0;
    const iovec local{&target, sizeof target};
    const iovec remote{const_cast<std::uint64_t*>(&source), sizeof source};
    if (process_vm_readv(owner.pid(), &local, 1, &remote, 1, 0) != sizeof target) return errno;
    return target == pattern ? 0 : EIO;
  });
  if (failure == 0) {
    return {Verdict::good, "cross-memory attach",
            "a process may read another's memory: large messages are copied once"};
  }
  const std::string scope = yama_scope();
  const std::string fix =
      scope == "0" ? "in a container, allow it with --cap-add=SYS_PTRACE"
                   : fmt::format("kernel.yama.ptrace_scope is {}: sysctl kernel.yama.ptrace_scope=0 allows it", scope);
  return {Verdict::slower, "cross-memory attach",
          fmt::format("refused ({}): large messages are copied twice; {}", strerror(failure), fix)};
}

Finding examine_locked_memory() {
  constexpr rlim_t enough = rlim_t{1} << 30;
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const std::string value =
      limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} KiB", limit.rlim_cur / 1024);
  std::error_code unreadable;
  const bool adapters = !std::filesystem::is_empty("/sys/class/infiniband_verbs", unreadable) && !unreadable;
  if (!adapters || limit.rlim_cur >= enough)
    return {Verdict::good, "locked memory", fmt::format("{} (ulimit -l); shared memory does not need any", value)};
  return {Verdict::slower, "locked memory",
          fmt::format("{} (ulimit -l), and RDMA adapters lock the memory that they access: long messages and windows "
                      "may have to do without; allow more with 'memlock unlimited' in /etc/security/limits.conf, and "
                      "with LimitMEMLOCK=infinity in the unit of slurmd",
                      value)};
}

}  // namespace

std::vector<Finding> examine_node() {
  return {examine_cores(), examine_shared_memory(), examine_single_copy(), examine_locked_memory()};
}

}  // namespace bowline::launcher
