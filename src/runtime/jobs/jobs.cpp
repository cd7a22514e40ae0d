// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/process_id.hpp"
#include "runtime/jobs/neighbourhood.hpp"

namespace bowline::runtime {
namespace {

int index(std::size_t at) noexcept {
  return static_cast<int>(at);
}

/// The position of a rank among the members, or among the members on its node.
template <class Members>
std::size_t position_of(const Members& members, int rank) {
  return static_cast<std::size_t>(std::ranges::find(members, rank, &Member::rank) - members.begin());
}

std::vector<Member> on_node(const Side& side, std::uint64_t node) {
  std::vector<Member> here;
  std::ranges::copy_if(side.members, std::back_inserter(here), [&](const Member& each) { return each.node == node; });
  return here;
}

}  // namespace

/// Describes a connection, without its neighbourhood. The members of the job whose name comes first stand before the
/// members of the other job.
Jobs::Connection Jobs::describe(const Side& own, const Side& other, int first) const {
  Connection connection;
  std::vector<int> mine;
  for (const Member& each : own.members) mine.push_back(each.rank);
  for (const Member& each : other.members) connection.others.push_back(first + each.rank);
  const bool own_first = own.job < other.job;
  const auto& [before, behind] = own_first ? std::tie(mine, connection.others) : std::tie(connection.others, mine);
  connection.members = before;
  connection.members.insert(connection.members.end(), behind.begin(), behind.end());
  connection.own_position =
      index(position_of(own.members, identity_.rank)) + (own_first ? 0 : index(connection.others.size()));
  return connection;
}

/// Gives the members of the other job that run on this node an inbox here, unless each of them has one. A process that
/// has one already goes on to use that: neighbourhoods are searched in the order in which they were made.
void Jobs::share_memory(Connection& connection, const Side& own, const Side& other, int first) {
  const std::uint64_t node = own.members[position_of(own.members, identity_.rank)].node;
  const std::vector<Member> here = on_node(own, node);
  std::vector<int> near;
  for (const Member& each : on_node(other, node)) near.push_back(first + each.rank);
  const auto is_known = [this](int process) { return transports_.is_local(process); };
  if (Transports::network_only() || std::ranges::all_of(near, is_known)) return;
  connection.neighbours = &transports_.add_neighbourhood(std::move(near), position_of(here, identity_.rank), lanes_);
  connection.inboxes = std::make_shared<Inboxes>();
  connection.neighbours->find_addresses_by([inboxes = connection.inboxes](int process) {
    const auto known = inboxes->find(process);
    if (known != inboxes->end()) return known->second;
    throw transport::NotYet(ErrorClass::other,
                            fmt::format("{} has not told where its inbox is", process_name(process)));
  });
}

bool Jobs::has(std::uint32_t id) const {
  const std::lock_guard hold(mutex_);
  return connections_.contains(id);
}

Contact Jobs::prepare(std::uint32_t id, const Side& own, const Side& other) {
  const std::lock_guard hold(mutex_);
  const auto [place, added] = connections_.try_emplace(id);
  if (!added) throw Error(ErrorClass::intern, fmt::format("there is a connection with the number {} already", id));
  try {
    const std::uint64_t node = own.members[position_of(own.members, identity_.rank)].node;
    const bool all_here = std::ranges::all_of(other.members, [&](const Member& each) { return each.node == node; });
    transports_.reach_other_jobs(lanes_, all_here);
    const int first = processes_.add(other.job, other.ranks);
    lanes_.grow_to(processes_.size());
    place->second = describe(own, other, first);
    share_memory(place->second, own, other, first);
    Contact contact{.first = first, .networks = transports_.network_addresses()};
    if (place->second.neighbours != nullptr) contact.inbox = place->second.neighbours->inbox().address();
    return contact;
  } catch (...) {
    connections_.erase(place);
    throw;
  }
}

void Jobs::abandon(std::uint32_t id) noexcept {
  const std::lock_guard hold(mutex_);
  const auto ended = connections_.extract(id);
  if (ended.empty() || ended.mapped().neighbours == nullptr) return;
  const auto in_use = [this](int process) { return is_connected(process); };
  if (std::ranges::none_of(ended.mapped().others, in_use))
    transports_.remove_neighbourhood(*ended.mapped().neighbours, lanes_);
}

void Jobs::connect(std::uint32_t id, std::span<const Contact> contacts) {
  const std::lock_guard hold_connections(mutex_);
  Connection& connection = connections_.at(id);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int process = connection.others[i];
    if (connection.neighbours != nullptr && connection.neighbours->has(process)) {
      const std::lock_guard hold(transports_.wireup_mutex());
      (*connection.inboxes)[process] = contacts[i].inbox;
    }
    transports_.reach(process, contacts[i].first + identity_.rank, contacts[i].networks, lanes_);
  }
}

void Jobs::disconnect(std::uint32_t id) {
  std::unique_lock hold(mutex_);
  const auto place = connections_.find(id);
  if (place == connections_.end()) throw Error(ErrorClass::intern, fmt::format("there is no connection {}", id));
  const EndTogether group = group_of(place->second, id);
  begin_to_part_from(place->second);
  hold.unlock();  // other threads may make and end connections meanwhile
  finalize_barrier(lanes_[0], {&group, 1}, CallsMark{0}, [] { return false; });
  hold.lock();
  const auto ended = connections_.extract(place);
  part_from(ended.mapped());
}

std::vector<std::uint32_t> Jobs::within(const comm::Group& group) const {
  const std::lock_guard hold(mutex_);
  std::vector<std::uint32_t> found;
  for (const auto& [id, connection] : connections_) {
    const auto is_in = [&](int process) { return group.rank_of(process) != comm::Group::no_rank; };
    if (std::ranges::all_of(connection.members, is_in)) found.push_back(id);
  }
  return found;
}

std::vector<int> Jobs::connected_only_by(std::uint32_t id, std::span<const std::uint32_t> without) const {
  const std::lock_guard hold(mutex_);
  std::vector<int> only = connections_.at(id).others;
  std::erase_if(only, [&](int process) {
    return std::ranges::any_of(connections_, [&](const auto& each) {
      return each.first != id && std::ranges::find(without, each.first) == without.end() &&
             std::ranges::find(each.second.others, process) != each.second.others.end();
    });
  });
  return only;
}

bool Jobs::reaches(int process) const {
  if (processes_.is_of_this_job(process)) return true;
  const std::lock_guard hold(mutex_);
  return is_connected(process);
}

bool Jobs::is_connected(int process, const Connection* without) const {
  return std::ranges::any_of(connections_, [&](const auto& each) {
    return &each.second != without && std::ranges::find(each.second.others, process) != each.second.others.end();
  });
}

/// A process whose part in the barrier is over may end before the barrier is over here.
void Jobs::begin_to_part_from(const Connection& connection) {
  for (std::size_t lane = 0; lane < lanes_.count(); ++lane) {
    const LockGuard hold(lanes_[lane].lock());
    for (const int process : connection.others) {
      if (!is_connected(process, &connection)) lanes_[lane].farewells().begins_to_part_from(process);
    }
  }
}

/// Processes of an ended connection count as having left, unless another connection connects them. Connections through
/// a network stay, because processes that part often meet again.
void Jobs::part_from(const Connection& connection) {
  for (const int process : connection.others) {
    if (is_connected(process)) continue;
    const bool shared_memory = transports_.is_local(process);
    for (std::size_t lane = 0; lane < lanes_.count(); ++lane) {
      proto::Engine& engine = lanes_[lane];
      const LockGuard hold(engine.lock());
      if (shared_memory) engine.disconnect(process);
      engine.farewells().parts_from(process);
    }
    transports_.part_from(process, lanes_);
  }
}

EndTogether Jobs::group_of(const Connection& connection, std::uint32_t id) {
  return {.position = connection.own_position,
          .size = index(connection.members.size()),
          .members = connection.members,
          .id = id};
}

std::vector<EndTogether> Jobs::groups(bool with_job) const {
  const std::lock_guard hold(mutex_);
  std::vector<EndTogether> groups;
  if (with_job) groups.push_back({.position = identity_.rank, .size = identity_.size});
  for (const auto& [id, connection] : connections_) groups.push_back(group_of(connection, id));
  return groups;
}

std::vector<int> Jobs::processes() const {
  const std::lock_guard hold(mutex_);
  std::vector<int> all(static_cast<std::size_t>(identity_.size));
  std::iota(all.begin(), all.end(), 0);
  for (const auto& [id, connection] : connections_)
    all.insert(all.end(), connection.others.begin(), connection.others.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace bowline::runtime
