// SPDX-License-Identifier: BSD-3-Clause
// What users read about a rank: its queues, its communicators, its requests. A page begins with a line for the rank;
// below it are a line for each communicator, and below that its lines.
#pragma once

#include <string>

#include "launcher/queues/communicator_list.hpp"
#include "launcher/queues/message_queues.hpp"
#include "launcher/queues/message_words.hpp"
#include "launcher/queues/rank_requests.hpp"

namespace bowline::launcher {

/// Communicators with something pending, and each receive, message and send. Leaves out what exceeds twenty of a kind.
std::string queues_page(const RankName& rank, const MessageQueues& queues);

/// All communicators with their members, as ranks of MPI_COMM_WORLD.
std::string communicators_page(const RankName& rank, const RankCommunicators& communicators);

/// Each request with its handle, and how far it is. Leaves out what exceeds a hundred of a communicator.
std::string requests_page(const RankName& rank, const RankRequests& requests);

}  // namespace bowline::launcher
