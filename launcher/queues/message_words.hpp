// SPDX-License-Identifier: BSD-3-Clause
// How messages, communicators and ranks are named in all texts about queues.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "launcher/queues/message_queues.hpp"

namespace bowline::launcher {

struct RankName {
  std::optional<int> number{};  ///< in its job, if it is known
  int ranks = 0;                ///< of the job; 0: not known
  pid_t process = 0;            ///< 0: not known
  std::string core{};           ///< the core file, if it is one
};

/// Such as "rank 0 of 3, process 4711".
std::string in_words(const RankName& rank);

/// A name that ends and hides no line.
std::string printable(std::string text);

/// Such as "MPI_COMM_WORLD, collectives".
std::string name_in_words(const SeenContext& context);
/// The same with numbers: "MPI_COMM_WORLD (rank 0 of 3, context 0)".
std::string context_in_words(const SeenContext& context);

/// Such as "rank 1, tag 11, up to 40 bytes". `ranks`: of the job.
std::string envelope_in_words(const PendingMessage& message, int ranks);
/// Such as "1 byte".
std::string bytes_in_words(std::uint64_t bytes);
/// Such as "no message has matched it".
std::string state_in_words(const PendingMessage& message);

}  // namespace bowline::launcher
