// SPDX-License-Identifier: BSD-3-Clause
// See core_claims.hpp. A claim is a socket with a name, which another process cannot have as well.
#include "launcher/core_claims.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

namespace bowline::launcher {
namespace {

bool has(const Binding& binding, int cpu) {
  constexpr int width = 8 * sizeof(unsigned long);
  const auto word = static_cast<size_t>(cpu / width);
  return word < binding.mask.size() && (binding.mask[word] >> (cpu % width) & 1) != 0;
}

/// Whether the rank may run on one of the core's CPUs at least.
bool touches(const Binding& binding, hwloc_const_bitmap_t core) {
  for (int cpu = hwloc_bitmap_first(core); cpu >= 0; cpu = hwloc_bitmap_next(core, cpu)) {
    if (has(binding, cpu)) return true;
  }
  return false;
}

}  // namespace

CoreClaims::~CoreClaims() {
  release();
}

void CoreClaims::release() {
  for (const auto& [cpu, fd] : sockets_) close(fd);
  for (int cpu : own_) used_->erase(used_->find(cpu));
  sockets_.clear();
  tried_.clear();
  own_.clear();
}

bool CoreClaims::release_core(int first_cpu) {
  const auto socket = sockets_.find(first_cpu);
  if (socket != sockets_.end()) {
    close(socket->second);
    sockets_.erase(socket);
  }
  const auto own = std::ranges::find(own_, first_cpu);
  if (own == own_.end()) return false;
  used_->erase(used_->find(first_cpu));
  own_.erase(own);
  return true;
}

bool CoreClaims::release_cores_of(const Binding& lost, std::span<const Binding* const> others,
                                  const Topology& topology) {
  bool released = false;
  for (const Bitmap& core : topology.objects(HWLOC_OBJ_CORE)) {
    const bool is_needed = std::ranges::any_of(others, [&](const Binding* rank) { return touches(*rank, core.get()); });
    if (touches(lost, core.get()) && !is_needed) released = release_core(hwloc_bitmap_first(core.get())) || released;
  }
  return released;
}

void CoreClaims::use(const BindingPlan& plan) {
  for (int cpu : tried_) {
    if (used_ == nullptr || std::ranges::none_of(plan.ranks, [&](const Binding& rank) { return has(rank, cpu); }))
      continue;
    used_->insert(cpu);
    own_.push_back(cpu);
  }
  tried_.clear();
}

bool CoreClaims::claim(int first_cpu) {
  if (used_ != nullptr && used_->contains(first_cpu)) return false;
  tried_.push_back(first_cpu);
  // The socket has a name without a file, which the kernel frees with the process.
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const auto end =
      fmt::format_to_n(address.sun_path + 1, sizeof address.sun_path - 1, "bowline-core-{}", first_cpu).out;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const auto size = static_cast<socklen_t>(end - reinterpret_cast<char*>(&address));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    close(fd);
    return false;
  }
  sockets_.emplace(first_cpu, fd);
  return true;
}

}  // namespace bowline::launcher
