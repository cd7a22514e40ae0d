// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.6: intercommunicators.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/communicators/peer_talk.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/processes/joining.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"
#include "dtype/predefined.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/jobs/roster.hpp"

namespace bowline::api {
namespace {

constexpr std::string_view tag_name = "intercomm";

std::vector<int> processes(const comm::Group& group) {
  std::vector<int> result;
  result.reserve(static_cast<std::size_t>(group.size()));
  for (int rank = 0; rank < group.size(); ++rank) result.push_back(group.process(rank));
  return result;
}

using JobAndRank = std::pair<std::string, int>;

JobAndRank least(const comm::Group& group) {
  const comm::ProcessTable& table = this_process().processes();
  ProcessId least = table[group.process(0)];
  for (const int process : processes(group)) {
    const ProcessId id = table[process];
    if (std::tie(id.job, id.rank) < std::tie(least.job, least.rank)) least = id;
  }
  return {std::string(least.job), least.rank};
}

JobAndRank least(const runtime::Roster& roster) {
  JobAndRank least{roster.jobs.at(0).name, roster.processes.at(0).rank};
  for (const runtime::Roster::Process& each : roster.processes)
    least = std::min(least, JobAndRank{roster.jobs[static_cast<std::size_t>(each.job)].name, each.rank});
  return least;
}

/// Both sides number the members of both groups in the same order: the group with the least process comes first.
bool comes_first(const comm::Group& local, const comm::Group& remote) {
  return least(local) < least(remote);
}

/// The group as processes of all jobs understand it.
std::vector<std::byte> described(const comm::Group& group) {
  const std::vector<std::uint64_t> nodes(static_cast<std::size_t>(group.size()));  // of no interest here
  return runtime::Roster::of(group, nodes, this_process().processes()).bytes();
}

/// Whether this process can send to all processes of the roster.
bool reaches_all(const runtime::Roster& roster) {
  const comm::ProcessTable& table = this_process().processes();
  return std::ranges::all_of(roster.processes, [&](const runtime::Roster::Process& each) {
    const auto index = table.index_of({roster.jobs[static_cast<std::size_t>(each.job)].name, each.rank});
    return index.has_value() && this_process().jobs().reaches(*index);
  });
}

bool are_all_of_this_job(const comm::Group& group, const runtime::Roster& roster) {
  return roster.jobs.size() == 1 && roster.jobs[0].name == this_process().wireup().identity().job &&
         comm::are_of_this_job(group, this_process().processes());
}

void check_disjoint(const comm::Group& local, const comm::Group& remote) {
  if (comm::Group::intersect(local, remote).size() == 0) return;
  throw Error(ErrorClass::comm,
              "the two groups of an intercommunicator have a process in common: make it of groups "
              "that are disjoint");
}

comm::Communicator& make_between(const comm::Group& local, const comm::Group& remote, comm::KeyHash key) {
  check_disjoint(local, remote);
  comm::Communicators& all = this_process().communicators();
  const bool first = comes_first(local, remote);
  const comm::Group everyone = first ? comm::Group::unite(local, remote) : comm::Group::unite(remote, local);
  const comm::ContextId id = all.agree(everyone, key.add(everyone, this_process().processes()).value());
  return all.make(id, local, {.remote = remote, .local_first = first});
}

/// What the leaders exchange and then broadcast in their groups: the bytes of the group's description, and the parts
/// of the key.
struct Side {
  std::uint64_t bytes;
  std::uint32_t context;  ///< of the local communicator
  std::uint32_t peer;     ///< context id of the peer communicator: equal on both sides
};

template <class Value>
std::span<std::byte> bytes_of(std::vector<Value>& values) {
  return std::as_writable_bytes(std::span(values));
}

template <class Value>
void spread(coll::Team& team, int root, std::vector<Value>& values) {
  const LockGuard lane(team.engine.lock());
  coll::bcast(team, root, bytes_of(values));
}

/// Whether all processes of both groups can send to all of the other one. Collective over both groups; only processes
/// of several jobs may not be connected.
bool are_connected(comm::Communicator& local_comm, int local_leader, const runtime::Roster& roster,
                   std::optional<PeerTalk>& talk) {
  if (are_all_of_this_job(local_comm.group(), roster)) return true;
  const std::vector<int> each = gather_all(local_comm.team(), reaches_all(roster) ? 1 : 0);
  std::vector<int> all{std::ranges::min(each)};
  if (talk) all[0] = std::min(all[0], talk->exchange<int>(all, 1)[0]);
  spread(local_comm.team(), local_leader, all);
  return all[0] != 0;
}

comm::Communicator& peer_of(MPI_Comm handle, int remote_leader) {
  comm::Communicator* const peer = find_comm(handle);
  if (peer == nullptr) {
    throw Error(ErrorClass::comm, "peer_comm is no communicator: at the local leader, give one that has both leaders");
  }
  if (!check::is_member(remote_leader, *peer)) check::refuse::rank(remote_leader, "remote_leader", *peer, "");
  return *peer;
}

}  // namespace

void intercomm_create(comm::Communicator& local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                      MPI_Comm* newintercomm) {
  check::intra(local_comm, "local_comm");
  std::optional<PeerTalk> talk;  // of a leader
  std::vector<std::byte> remote;
  std::vector<Side> sides(2);
  if (local_comm.rank() == local_leader) {
    comm::Communicator& peer = peer_of(peer_comm, remote_leader);
    talk.emplace(peer, remote_leader, tag);
    const std::vector<std::byte> local = described(local_comm.group());
    sides[0] = {local.size(), local_comm.context(), peer.context()};
    sides[1] = talk->exchange<Side>({sides[0]}, 1)[0];
    remote = talk->exchange<std::byte>(local, sides[1].bytes);
  }
  spread(local_comm.team(), local_leader, sides);
  remote.resize(sides[1].bytes);
  spread(local_comm.team(), local_leader, remote);
  const auto roster = runtime::Roster::read(remote);
  if (!are_connected(local_comm, local_leader, roster, talk)) {
    const bool first = least(local_comm.group()) < least(roster);
    *newintercomm = to_handle(join(local_comm, local_leader, [&](const runtime::Roster& own) {
      return exchange_rosters(std::make_unique<PeerTalk>(*talk), first, own);
    }));
    return;
  }
  // Several threads may make intercommunicators at the same time with the same groups and the same tag. In that case
  // the local communicators differ, or, if the two halves of a communicator have the same context id, the peer
  // communicators differ. So the key contains both context ids.
  const auto [low, high] = std::minmax(sides[0].context, sides[1].context);
  comm::KeyHash key;
  key.add(tag_name).add(low).add(high).add(sides[0].peer).add(static_cast<std::uint64_t>(tag));
  const comm::Group remote_group = comm::Group::of(roster.indices(this_process().processes()));
  comm::Communicator& made = make_between(local_comm.group(), remote_group, key);
  made.set_error_handler(*local_comm.error_handler());
  *newintercomm = to_handle(made);
}

void intercomm_create_from_groups(const comm::Group& local_group, int local_leader, MPI_Group remote_group,
                                  int remote_leader, const char* stringtag, MPI_Info info,
                                  comm::ErrorHandler& errhandler, MPI_Comm* newintercomm) {
  static_cast<void>(remote_leader);  // both groups are known, so the leaders have nothing to exchange
  *newintercomm = MPI_COMM_NULL;
  check::fits(errhandler, comm::ErrorHandler::Handles::communicator, "a communicator");
  const auto hints = hints_of(info);
  comm::Communicators& all = this_process().communicators();
  const int rank = local_group.rank_of(all.process());
  if (rank == comm::Group::no_rank) {
    throw Error(ErrorClass::group, "local_group does not have this process: only its members give it as theirs");
  }
  if (local_leader < 0 || local_leader >= local_group.size()) {
    throw Error(ErrorClass::rank, fmt::format("local_leader is {}, but local_group has the ranks 0 to {}", local_leader,
                                              local_group.size() - 1));
  }
  comm::KeyHash key;
  key.add("intercomm_from_groups").add(stringtag);
  std::vector<std::byte> remote;
  if (rank == local_leader) remote = described(check::group(remote_group, "remote_group"));
  std::vector<std::uint64_t> length{remote.size()};
  const std::uint64_t local_key = comm::KeyHash(key).add("local").add(local_group, this_process().processes()).value();
  all.spread(local_group, local_leader, local_key, bytes_of(length));
  remote.resize(length[0]);
  all.spread(local_group, local_leader, local_key, bytes_of(remote));
  const std::vector<int> others = runtime::Roster::read(remote).indices(this_process().processes());
  if (others.empty()) throw Error(ErrorClass::group, "remote_group has no members");
  comm::Communicator& made = make_between(local_group, comm::Group::of(others), key);
  made.set_error_handler(errhandler);
  this_process().handler_chosen(made);
  note_hints(made, *hints);
  *newintercomm = to_handle(made);
}

void intercomm_merge(comm::Communicator& intercomm, int high, MPI_Comm* newintracomm) {
  if (!intercomm.inter()) {
    throw Error(ErrorClass::comm, "intercomm is an intracommunicator: give one made by MPI_Intercomm_create");
  }
  const auto& [remote, local_first] = *intercomm.bridge();
  const comm::Group& local = intercomm.group();
  const std::vector<int> orders = gather_all(intercomm.team(), high != 0 ? 1 : 0);
  const bool same = orders.front() == orders.back();
  const bool mine_first = same ? local_first : high == 0;
  const comm::Group members = mine_first ? comm::Group::unite(local, remote) : comm::Group::unite(remote, local);
  *newintracomm = make_or_decline(intercomm, agree(intercomm), members);
}

}  // namespace bowline::api
