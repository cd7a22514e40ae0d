// SPDX-License-Identifier: BSD-3-Clause
// What collective calls tell listeners (base/events/event.hpp). Contexts are as in proto/events/engine_events.hpp.
#pragma once

#include <cstdint>

#include "base/events/event.hpp"
#include "base/task.hpp"
#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

class TeamChannel;

struct CollectiveEvent {
  std::uint64_t context;
  std::uint64_t sequence;
  std::uint64_t bytes;
  std::int32_t operation;
};

struct AlgorithmEvent {
  std::uint64_t context;
  std::uint64_t sequence;
  std::int32_t algorithm;
};

extern Event<CollectiveEvent> collective_begun;
extern Event<AlgorithmEvent> algorithm_chosen;
extern Event<CollectiveEvent> collective_ended;

/// All of these.
inline constinit EventGroup collective_events;

/// Tells that a call has begun, and that its task has ended, if somebody listens.
class ToldCall {
 public:
  ToldCall(const TeamChannel& channel, Operation operation, const Arguments& arguments) noexcept;
  /// The task, which tells its end.
  Task until_end(Task task) const;

 private:
  CollectiveEvent call_;
};
/// Tells which algorithm serves the call, if somebody listens.
void tell_algorithm(const TeamChannel& channel, Operation operation, const Algorithm& algorithm) noexcept;

}  // namespace bowline::coll
