// SPDX-License-Identifier: BSD-3-Clause
// What a rank asks of mpiexec over PMIx, and the answer.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "launcher/job/rank_id.hpp"
#include "launcher/spawn/name_store.hpp"
#include "launcher/spawn/spawn_request.hpp"

namespace bowline::launcher {

struct PublishRequest {
  std::vector<Published> values;
};

struct UnpublishRequest {
  std::vector<std::string> keys;  ///< empty: all that the process has published
};

struct LookupRequest {
  std::vector<std::string> keys;
  std::size_t awaited = 0;                      ///< wait until so many of the keys have values
  std::optional<std::chrono::seconds> timeout;  ///< of the wait
};

struct Answer {
  enum class Status { success, not_found, timed_out, duplicate_key, not_permitted, no_program, no_place, cannot_start };

  Status status = Status::success;
  std::string job = {};               ///< of a spawn: the name of the new job's namespace
  std::vector<Published> found = {};  ///< of a lookup
};

/// A request whose rank waits for the answer.
struct RankRequest {
  RankId of;
  std::variant<SpawnRequest, PublishRequest, UnpublishRequest, LookupRequest> what;
  /// To be called at most once, in any thread. A request without an answer lets its rank wait for ever: it is for ranks
  /// that have ended.
  std::function<void(Answer)> answer;
};

}  // namespace bowline::launcher
