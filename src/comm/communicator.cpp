// SPDX-License-Identifier: BSD-3-Clause
#include "comm/communicator.hpp"

#include <utility>

namespace bowline::comm {

Communicator::Communicator(std::string name, std::uint32_t id, proto::Engine& engine, coll::RankMap ranks, int rank,
                           int size, bool crowded)
    : team_{.engine = engine,
            .context = collective_context(id),
            .ranks = ranks,
            .rank = rank,
            .size = size,
            .crowded = crowded},
      context_(point_to_point_context(id)),
      name_(std::move(name)) {}

}  // namespace bowline::comm
