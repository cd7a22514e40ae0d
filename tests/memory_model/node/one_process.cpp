// SPDX-License-Identifier: BSD-3-Clause
// Functions of src/node for models, whose processes are threads of one process and have one address space.
#include "node/one_process.hpp"

#include <stdexcept>

#include "base/atomic.hpp"
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
  const auto number = static_cast<std::size_t>(pid_);
  return number >= model::ended.size() || !model::ended[number];
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
/// The order of the kernel's accesses is that of the calling thread. One word stands for the whole copy, so that long
/// copies take few accesses.
static ssize_t copy_word(void* to, const void* from, std::size_t bytes) {
  std::uint64_t word = 0;
  copy_from_shared(&word, from, sizeof word);
  copy_to_shared(to, &word, sizeof word);
  return static_cast<ssize_t>(bytes);
}
ssize_t read_memory(const ProcessMark&, const void* theirs, std::span<std::byte> mine) noexcept {
  return copy_word(mine.data(), theirs, mine.size());
}
ssize_t write_memory(const ProcessMark&, std::span<const std::byte> mine, void* theirs) noexcept {
  return copy_word(theirs, mine.data(), mine.size());
}
Nearness nearness_to(pid_t) noexcept {
  return Nearness::unknown;
}

}  // namespace bowline::node
