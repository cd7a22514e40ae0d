// SPDX-License-Identifier: BSD-3-Clause
// Operations in words, with the ranks and the names that the user knows. Called under the lock of the lane.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/waits/wait_targets.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

/// "a receive on MPI_COMM_WORLD from rank 1, tag 7".
std::string request_in_words(Engine& lane, const Request& request);
/// "on MPI_COMM_WORLD from rank 1, tag 7".
std::string match_in_words(Engine& lane, const Match& match);
/// "on MPI_COMM_WORLD to rank 1, tag 7". `to`: world rank.
std::string send_in_words(Engine& lane, transport::Header header, int to);

/// The ranks that must act before such a message arrives, or before the request completes.
WaitTargets targets_of(Engine& lane, const Match& match);
WaitTargets targets_of(Engine& lane, const Request& request);

/// The world ranks for which the messages of a collective operation wait here: those in this context under this tag.
std::vector<int> awaited_in(Engine& lane, std::uint32_t context, std::int32_t tag);
/// "on MPI_COMM_WORLD, operation 3, awaiting ranks 1 and 2". `awaited`: world ranks, perhaps several times.
std::string collective_in_words(Engine& lane, std::uint32_t context, std::int32_t number, std::vector<int> awaited);

}  // namespace bowline::proto
