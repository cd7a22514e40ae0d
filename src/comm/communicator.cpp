// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <utility>

namespace bowline::comm {
namespace {

coll::Team make_team(Name name, proto::Purpose purpose, proto::Engine& engine, const Group& members, int process,
                     bool crowded) {
  return {.engine = engine,
          .context = proto::make_context(name.index, name.lane, purpose, name.generation),
          .ranks = members.map(),
          .rank = members.rank_of(process),
          .size = members.size(),
          .crowded = crowded};
}

}  // namespace

Communicator::Communicator(std::string label, Name name, proto::Engine& engine, Group group, int process, bool crowded)
    : group_(std::move(group)),
      rank_(group_.rank_of(process)),
      team_(make_team(name, proto::Purpose::collective, engine, group_, process, crowded)),
      peers_(team_.ranks),
      context_(proto::make_context(name.index, name.lane, proto::Purpose::point_to_point, name.generation)),
      label_(std::move(label)) {}

Communicator::Communicator(std::string label, Name name, proto::Engine& engine, Group group, int process, bool crowded,
                           Bridge bridge)
    : group_(std::move(group)),
      bridge_(std::move(bridge)),
      everyone_(bridge_->local_first ? Group::unite(group_, bridge_->remote) : Group::unite(bridge_->remote, group_)),
      rank_(group_.rank_of(process)),
      team_(make_team(name, proto::Purpose::collective, engine, everyone_, process, crowded)),
      local_team_(make_team(name, proto::Purpose::local, engine, group_, process, crowded)),
      peers_(bridge_->remote.map()),
      context_(proto::make_context(name.index, name.lane, proto::Purpose::point_to_point, name.generation)),
      label_(std::move(label)) {}

}  // namespace bowline::comm
