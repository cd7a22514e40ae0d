// SPDX-License-Identifier: BSD-3-Clause
// Pairs of events: what has begun in a rank, and when it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/flight/flight_record.hpp"

namespace bowline::launcher {

struct FlightSpan {
  enum class Kind : std::uint8_t { collective, wait, transfer, epoch };

  Kind kind = Kind::wait;
  std::int64_t begin = 0;
  std::optional<std::int64_t> end{};   ///< empty: it has not ended, as far as the recording goes
  const FlightEvent* event = nullptr;  ///< that began it; that ended it if the other one has been overwritten
  std::string name{};                  ///< of a collective: "allreduce/slots", or "allreduce"

  bool covers(std::int64_t moment) const { return begin <= moment && (!end || *end > moment); }
};

/// In the order of their beginnings. The end of something whose beginning has been overwritten makes none, but for a
/// wait, whose end says how long it was.
std::vector<FlightSpan> spans_of(const RankFlight& flight);

/// Whether the event is the beginning or the end of a span.
bool belongs_to_span(const FlightEvent& event);

}  // namespace bowline::launcher
