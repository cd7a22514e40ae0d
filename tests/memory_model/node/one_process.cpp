// SPDX-License-Identifier: BSD-3-Clause
// Functions of src/node for models, whose processes are threads of one process: none reads the memory of another one by
// a system call, and none ends.
#include <cerrno>
#include <stdexcept>

#include "node/cache.hpp"
#include "node/handover.hpp"
#include "node/host.hpp"
#include "node/peer_memory.hpp"
#include "node/process.hpp"

namespace bowline::node {

Descriptor::~Descriptor() = default;

std::uint64_t make_secret() {
  return 1;
}
Handover::Handover(int descriptor, std::uint64_t secret) : ticket_{.descriptor = descriptor, .secret = secret} {}
Handover::~Handover() = default;
Taken take(const Ticket& ticket, const std::function<bool(int)>& accepts) {
  if (!accepts(ticket.descriptor)) throw std::runtime_error("a wrong descriptor");
  return {Descriptor(ticket.descriptor), 0, {}};
}

PeerProcess::PeerProcess(pid_t pid) noexcept : pid_(pid), fd_(-1) {}
PeerProcess::PeerProcess(pid_t pid, Descriptor) noexcept : PeerProcess(pid) {}
PeerProcess::PeerProcess(PeerProcess&& other) noexcept = default;
PeerProcess& PeerProcess::operator=(PeerProcess&& other) noexcept = default;
PeerProcess::~PeerProcess() = default;
bool PeerProcess::alive() const noexcept {
  return true;
}

std::string host_name() {
  return "host";
}
std::uint64_t pid_namespace() noexcept {
  return 1;
}
ProcessMark own_mark() {
  return {};
}
bool allows_single_copy() noexcept {
  return false;
}
ssize_t read_memory(const ProcessMark&, const void*, std::span<std::byte>) noexcept {
  errno = ENOSYS;
  return -1;
}
ssize_t write_memory(const ProcessMark&, std::span<const std::byte>, void*) noexcept {
  errno = ENOSYS;
  return -1;
}
Nearness nearness_to(pid_t) noexcept {
  return Nearness::unknown;
}

}  // namespace bowline::node
