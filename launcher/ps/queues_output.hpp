// SPDX-License-Identifier: BSD-3-Clause
// What bowline-ps --queues prints.
#pragma once

#include <span>
#include <string>

#include "launcher/ps/rank_queues.hpp"

namespace bowline::launcher {

/// A line for each rank whose queues have been read; below it a line for each communicator with something pending, and
/// below that a line for each receive, message and send. Leaves out what exceeds twenty of a kind.
std::string queues_in_words(std::span<const RankQueues> ranks);

/// A document {"host", "ranks": [{"rank", "ranks", "process", "state", "communicators": [...]}]}. "state" is "read",
/// "starting", "ended" or "unreadable"; "problem" says why it is unreadable. A rank of a core file has "core". Each
/// communicator has "name", "context", "for" ("messages", "collectives" or "partitioned"), "freed", "rank", "size",
/// "remote_size" (of an intercommunicator), "receives", "unexpected" and "sends". Their elements have "tag", "bytes",
/// "state" and "moved" (bytes), "source" or "destination" (rank in the communicator) and "process" (rank in the job).
/// What is any, or not known, is null.
std::string queues_in_json(std::span<const RankQueues> ranks, const std::string& host);

}  // namespace bowline::launcher
