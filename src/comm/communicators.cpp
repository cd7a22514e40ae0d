// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicators.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "coll/calls/call_comparison.hpp"
#include "coll/calls/drive.hpp"
#include "coll/channel/agreement.hpp"
#include "comm/agreement.hpp"

namespace bowline::comm {
namespace {

constexpr unsigned meeting_lane = 0;

/// Tags of messages at the meeting place must not be wildcards.
std::int32_t tag_of(std::uint64_t key) noexcept {
  return static_cast<std::int32_t>((key ^ (key >> 32)) & 0x7fffffff);
}

/// Whether all members are processes of this job, which has so many ranks.
bool all_in_job(const coll::Team& team, int ranks) {
  const coll::RankMap& map = team.ranks;
  if (map.table == nullptr) return std::max(map.process(0), map.process(team.size - 1)) < ranks;
  return std::all_of(map.table, map.table + team.size, [=](int process) { return process < ranks; });
}

/// Whether all members are among these processes, which ascend.
bool all_are_among(std::span<const int> processes, const coll::Team& team) {
  if (team.size > std::ssize(processes)) return false;
  for (int member = 0; member < team.size; ++member) {
    if (!std::ranges::binary_search(processes, team.ranks.process(member))) return false;
  }
  return true;
}

}  // namespace

void Whereabouts::tell(coll::Team& team, bool whole) const {
  const bool alone = all_in_job(team, ranks);
  team.one_node = alone ? all_are_among(here, team) : all_are_among(near(), team);
  if (!alone) team.oversubscribed = false;  // the jobs may differ in that, and all members must choose alike
  if (whole && alone) team.place_on(machine);
}

Communicators::Communicators(proto::Lanes& lanes, int process, const Whereabouts& whereabouts)
    : lanes_(lanes), process_(process), whereabouts_(whereabouts) {}

Communicators::~Communicators() {
  for (Communicator* const comm : all_) {
    if (comm != nullptr) pool_.destroy(comm);
  }
}

ContextId Communicators::agree(coll::Team& team) {
  review(team.engine);
  ContextId id;
  const std::int32_t tag = team.blocking.next_tag();
  coll::drive(team, tag, team.next_id(coll::CallKind::making_communicator()), [&](coll::Channel& channel) {
    Task agreement = comm::agree(channel, indices_, start_of(team.context, tag), lane_count(), id);
    return coll::checks_collectives() ? coll::checked(channel, coll::describe_agreement(team), std::move(agreement))
                                      : std::move(agreement);
  });
  return id;
}

coll::Team Communicators::meeting(const Group& members) const {
  return {.engine = lanes_[meeting_lane],
          .context = proto::make_context(IndexSpace::meeting_place, meeting_lane, proto::Purpose::collective),
          .ranks = members.map(),
          .rank = members.rank_of(process_),
          .size = members.size(),
          .oversubscribed = whereabouts_.oversubscribed,
          .one_node = false,  // this context has no shared memory
          .meets = true};
}

ContextId Communicators::agree(const Group& members, std::uint64_t key) {
  ContextId id;
  coll::Team team = meeting(members);
  const std::int32_t tag = tag_of(key);
  const LockGuard lane(team.engine.lock());
  coll::drive(team, tag, team.next_id(coll::CallKind::making_communicator()), [&](coll::Channel& channel) {
    return comm::agree(channel, indices_, static_cast<std::uint32_t>(tag), lane_count(), id);
  });
  return id;
}

void Communicators::spread(const Group& members, int root, std::uint64_t key, std::span<std::byte> data) {
  coll::Team team = meeting(members);
  const LockGuard lane(team.engine.lock());
  const coll::Arguments arguments{.root = root, .result = data};
  coll::drive(team, tag_of(key), team.next_id(coll::CallKind::making_communicator()),
              [&](coll::Channel& channel) { return coll::bcast_binomial(channel, arguments); });
}

template <class... Bridges>
Communicator& Communicators::add(ContextId id, Group group, Bridges... bridge) {
  const std::lock_guard hold(mutex_);
  if (id.index >= all_.size()) all_.resize(id.index + 1);
  retired_.reserve(all_.size());  // freeing a communicator needs no memory
  all_[id.index] = pool_.make("", id, lanes_[id.lane], std::move(group), process_, whereabouts_.oversubscribed,
                              std::move(bridge)...);
  Communicator& made = *all_[id.index];
  whereabouts_.tell(made.team(), !made.inter());
  if (made.inter()) whereabouts_.tell(made.local_team(), false);
  return made;
}

Communicator& Communicators::make(ContextId id, Group group) {
  return add(id, std::move(group));
}

Communicator& Communicators::make(ContextId id, Group group, Bridge bridge) {
  return add(id, std::move(group), std::move(bridge));
}

// ---- the end of communicators

void Communicators::free(Communicator& comm) {
  proto::Engine& engine = comm.engine();
  const LockGuard lane(engine.lock());
  comm.retire();
  {
    const std::lock_guard hold(mutex_);
    retired_.push_back(&comm);
  }
  review(engine);
}

/// Destroys the communicators of a lane, whose lock the caller holds, that the user has freed and on which this process
/// has no pending operation. Drops messages to this process that were never received there.
void Communicators::review(proto::Engine& engine) {
  const auto take_one = [&]() -> Communicator* {
    const std::lock_guard hold(mutex_);
    const auto found = std::ranges::find_if(
        retired_, [&](const Communicator* comm) { return &comm->engine() == &engine && !engine.uses(comm->index()); });
    if (found == retired_.end()) return nullptr;
    Communicator* const comm = *found;
    retired_.erase(found);
    return comm;
  };
  while (Communicator* const comm = take_one()) {
    for (const auto purpose : {proto::Purpose::point_to_point, proto::Purpose::collective, proto::Purpose::partitioned,
                               proto::Purpose::local}) {
      engine.forget(proto::with_purpose(comm->context(), purpose));
    }
    const std::uint32_t index = comm->index();
    destroy(*comm);
    indices_.give_back(index);
  }
}

void Communicators::unmake(Communicator& comm) noexcept {
  comm.retire();  // the other members have made the communicator, so its index stays in use
}

bool Communicators::is_in_another(std::span<const int> processes, const Communicator& but) {
  const auto has = [&](const Group& group) {
    return std::ranges::any_of(processes, [&](int each) { return group.rank_of(each) != Group::no_rank; });
  };
  const std::lock_guard hold(mutex_);
  return std::ranges::any_of(all_, [&](const Communicator* each) {
    if (each == nullptr || each == &but || !each->alive()) return false;
    return has(each->group()) || (each->inter() && has(each->bridge()->remote));
  });
}

void Communicators::destroy(Communicator& comm) noexcept {
  const std::lock_guard hold(mutex_);
  all_[comm.index()] = nullptr;
  pool_.destroy(&comm);
}

Communicator* Communicators::find(std::uint32_t index) noexcept {
  const std::lock_guard hold(mutex_);
  return index < all_.size() ? all_[index] : nullptr;
}

bool are_of_this_job(const Group& group, const ProcessTable& processes) {
  for (int rank = 0; rank < group.size(); ++rank) {
    if (!processes.is_of_this_job(group.process(rank))) return false;
  }
  return true;
}

// ---- keys: FNV-1a, 64 bits

KeyHash& KeyHash::add(std::uint64_t value) noexcept {
  for (int byte = 0; byte < 8; ++byte, value >>= 8) state_ = (state_ ^ (value & 0xff)) * 0x100000001b3U;
  return *this;
}

KeyHash& KeyHash::add(std::string_view text) noexcept {
  add(text.size());
  for (const char c : text) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return *this;
}

KeyHash& KeyHash::add(const Group& group, const ProcessTable& processes) {
  add(static_cast<std::uint64_t>(group.size()));
  const bool one_job = are_of_this_job(group, processes);
  for (int rank = 0; rank < group.size(); ++rank) {
    const int process = group.process(rank);
    if (one_job) {
      add(static_cast<std::uint64_t>(process));
    } else {
      const ProcessId id = processes[process];
      add(id.job).add(static_cast<std::uint64_t>(id.rank));
    }
  }
  return *this;
}

}  // namespace bowline::comm
