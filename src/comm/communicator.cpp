// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <mutex>
#include <utility>

namespace bowline::comm {
namespace {

constinit std::mutex naming;  // one for all: names are rarely used

coll::Team make_team(ContextId id, proto::Purpose purpose, proto::Engine& engine, const Group& members, int process,
                     bool oversubscribed) {
  return {.engine = engine,
          .context = proto::make_context(id.index, id.lane, purpose, id.generation),
          .ranks = members.map(),
          .rank = members.rank_of(process),
          .size = members.size(),
          .oversubscribed = oversubscribed};
}

}  // namespace

Communicator::Communicator(std::string label, ContextId id, proto::Engine& engine, Group group, int process,
                           bool oversubscribed)
    : group_(std::move(group)),
      rank_(group_.rank_of(process)),
      team_(make_team(id, proto::Purpose::collective, engine, group_, process, oversubscribed)),
      peers_(team_.ranks),
      peer_count_(group_.size()),
      context_(proto::make_context(id.index, id.lane, proto::Purpose::point_to_point, id.generation)),
      label_(std::move(label)) {}

Communicator::Communicator(std::string label, ContextId id, proto::Engine& engine, Group group, int process,
                           bool oversubscribed, Bridge bridge)
    : group_(std::move(group)),
      bridge_(std::move(bridge)),
      everyone_(bridge_->local_first ? Group::unite(group_, bridge_->remote) : Group::unite(bridge_->remote, group_)),
      rank_(group_.rank_of(process)),
      team_(make_team(id, proto::Purpose::collective, engine, everyone_, process, oversubscribed)),
      local_team_(make_team(id, proto::Purpose::local, engine, group_, process, oversubscribed)),
      peers_(bridge_->remote.map()),
      peer_count_(bridge_->remote.size()),
      context_(proto::make_context(id.index, id.lane, proto::Purpose::point_to_point, id.generation)),
      label_(std::move(label)) {}

std::string Communicator::name() const {
  const std::lock_guard hold(naming);
  return label_;
}

void Communicator::set_name(std::string label) {
  const std::lock_guard hold(naming);
  label_.swap(label);
}

void Communicator::interrupt(const Failure& why) noexcept {
  team_.interrupt(why);
  if (local_team_) local_team_->interrupt(why);
  reachable_.store(0, std::memory_order_release);
}

std::optional<std::chrono::duration<double>> Communicator::time_limit() const noexcept {
  const double seconds = time_limit_.load(std::memory_order_relaxed);
  return seconds > 0 ? std::optional(std::chrono::duration<double>(seconds)) : std::nullopt;
}

}  // namespace bowline::comm
