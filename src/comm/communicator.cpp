// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <utility>

namespace bowline::comm {

Communicator::Communicator(std::string name, std::uint32_t index, unsigned lane, proto::Engine& engine, Group group,
                           int rank, bool crowded)
    : group_(std::move(group)),
      team_{.engine = engine,
            .context = proto::make_context(index, lane, proto::Purpose::collective),
            .ranks = group_.map(),
            .rank = rank,
            .size = group_.size(),
            .crowded = crowded},
      context_(proto::make_context(index, lane, proto::Purpose::point_to_point)),
      index_(index),
      name_(std::move(name)) {}

}  // namespace bowline::comm
