// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job_directory.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/log.hpp"
#include "base/waits/wait_board.hpp"
#include "comm/index_space.hpp"
#include "proto/context.hpp"
#include "runtime/jobs/process_end.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {
namespace {

using proto::Purpose;

Purpose purpose_of(std::uint32_t context) noexcept {
  return static_cast<Purpose>(context & 3);
}

// Least time between two questions about the same rank.
constexpr std::chrono::seconds between_questions{1};
constexpr std::chrono::milliseconds between_searches{20};

bool among_all(Purpose purpose) noexcept {
  return purpose == Purpose::collective || purpose == Purpose::local;
}

/// The groups whose members send in this context. Sources number the members of the first group, then those of the
/// second, which may be nullptr.
std::pair<const comm::Group*, const comm::Group*> senders_of(const comm::Communicator& comm, Purpose purpose) {
  const auto& bridge = comm.bridge();
  if (!bridge || purpose == Purpose::local) return {&comm.group(), nullptr};
  if (!among_all(purpose)) return {&bridge->remote, nullptr};
  if (bridge->local_first) return {&comm.group(), &bridge->remote};
  return {&bridge->remote, &comm.group()};
}

proto::AddressSearch& add_search(proto::Engine& engine, proto::AddressBook& book) {
  auto search = std::make_unique<proto::AddressSearch>(engine, book);
  proto::AddressSearch& added = *search;
  engine.services().add(std::move(search));
  return added;
}

}  // namespace

std::string communicator_in_words(std::uint32_t context, const comm::Communicator* found) {
  const std::uint32_t index = proto::index_of(context);
  if (index == comm::IndexSpace::world) return "MPI_COMM_WORLD";
  if (index == comm::IndexSpace::self) return "MPI_COMM_SELF";
  if (found == nullptr) return "a communicator";
  const std::string name = found->name();
  return name.empty() ? fmt::format("a communicator of {} ranks without a name", found->size())
                      : fmt::format("the communicator {}", name);
}

JobDirectory::JobDirectory(proto::Engine& engine, unsigned lane, comm::Communicator& world, comm::Communicator& self,
                           comm::Communicators& others, Transports& transports, comm::FailedProcesses& failed,
                           std::function<void(const Error&)> lost)
    : search_(add_search(engine, *this)),
      lane_(lane),
      world_(world),
      self_(self),
      others_(others),
      transports_(transports),
      failed_(failed),
      lost_(std::move(lost)) {
  engine.liveness().use(this);
}

comm::Communicator* JobDirectory::find(std::uint32_t context) noexcept {
  const std::uint32_t index = proto::index_of(context);
  if (index == comm::IndexSpace::world) return &world_;
  if (index == comm::IndexSpace::self) return &self_;
  return others_.find(index);
}

int JobDirectory::process(std::uint32_t context, int source) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return -1;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  if (source < 0 || source >= senders(context)) return -1;
  return source < first->size() || second == nullptr ? first->process(source) : second->process(source - first->size());
}

int JobDirectory::source(std::uint32_t context, int process) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return -1;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  const int among_first = first->rank_of(process);
  if (among_first >= 0 || second == nullptr) return among_first;
  const int among_second = second->rank_of(process);
  return among_second < 0 ? among_second : first->size() + among_second;
}

bool JobDirectory::sends_here(std::uint32_t context) {
  return source(context, self_.group().process(0)) >= 0;
}

int JobDirectory::senders(std::uint32_t context) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return 0;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  return first->size() + (second == nullptr ? 0 : second->size());
}

std::optional<std::chrono::duration<double>> JobDirectory::time_limit(std::uint32_t context) {
  const comm::Communicator* const comm = find(context);
  return comm == nullptr ? std::nullopt : comm->time_limit();
}

int JobDirectory::unacknowledged(std::uint32_t context) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr || purpose_of(context) != Purpose::point_to_point) return -1;
  const std::vector<int> failed = failed_.among(comm->everyone());
  for (auto i = static_cast<std::size_t>(comm->acknowledged()); i < failed.size(); ++i) {
    if (source(context, failed[i]) >= 0) return failed[i];
  }
  return -1;
}

void JobDirectory::interrupted(std::uint32_t context, const Failure& why) noexcept {
  if (comm::Communicator* const comm = find(context)) comm->interrupt(why);
}

/// Whether the last question about this rank is long enough ago. If so, records that a question is asked now.
bool JobDirectory::is_time(Times& latest, int rank, std::chrono::milliseconds interval) {
  const auto now = std::chrono::steady_clock::now();
  const auto [last, first] = latest.try_emplace(rank, now);
  if (!first && now - last->second < interval) return false;
  last->second = now;
  return true;
}

/// The check needs the launcher's library and some system calls, so it is not repeated too soon.
bool JobDirectory::has_left(int process) {
  return transports_.is_local(process) && is_time(looked_, process, between_questions) && transports_.has_left(process);
}

/// Only the launcher's word is asked for each time.
bool JobDirectory::is_lost(int process) {
  if (!this_process().keeps_going()) return false;
  const int rank = transports_.rank_in_job(process);
  if (told_lost(rank)) return true;
  const bool tells = rank >= 0 && ShownWait::board_joined();
  return !tells && transports_.is_local(process) && is_time(looked_for_loss_, process, between_searches) &&
         transports_.is_lost(process);
}

bool JobDirectory::any_cut_off() {
  return this_process().keeps_going() && transports_.any_cut_off();
}

bool JobDirectory::keeps_going() const {
  return this_process().keeps_going();
}

std::string JobDirectory::loss(int process) {
  return loss_in_words(transports_.rank_in_job(process));
}

/// The end of a process of another job ends no job: operations with it fail, and their communicators say what that
/// means.
void JobDirectory::lost(int process, const Error& why) noexcept {
  failed_.add(process);
  if (transports_.is_of_this_job(process)) return lost_(why);
  // The error code does not name the rank. At the end the process may have left already: then nothing is lost.
  const bool expected = this_process().keeps_going() || this_process().awaits_end();
  expected ? log::info("{}", why.what()) : log::warning("{}", why.what());
}

bool JobDirectory::has_sessions() const noexcept {
  return this_process().has_sessions();
}

/// A context that belongs to no communicator known here may belong to a session.
bool JobDirectory::outlives_finalize(std::uint32_t context) {
  const comm::Communicator* const comm = find(context);
  return comm == nullptr || comm->group().origin() != nullptr;
}

/// The nearest rank before the sought rank that can be asked.
int JobDirectory::informant(int rank) {
  if (!transports_.is_remote(rank) || !transports_.is_of_this_job(rank)) return -1;
  if (!transports_.remote_addresses().looks_ahead() || !is_time(asked_, rank, between_questions)) return -1;
  const int size = world_.size();
  int nearest = (rank + size - 1) % size;
  while (nearest != transports_.rank() && !transports_.is_local(nearest) && !approachable(nearest))
    nearest = (nearest + size - 1) % size;
  return nearest == transports_.rank() ? -1 : nearest;
}

std::vector<std::byte> JobDirectory::address(int rank) {
  return transports_.is_remote(rank) ? transports_.remote_addresses().for_others(lane_, rank) : transport::Address();
}

}  // namespace bowline::runtime
