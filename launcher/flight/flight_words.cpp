// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/flight/flight_words.hpp"

#include <fmt/chrono.h>

#include <ctime>

#include "launcher/report/report_words.hpp"

namespace bowline::launcher {

std::string span_in_words(const FlightSpan& span, int ranks) {
  const FlightEvent& event = *span.event;
  const auto bytes = [&event] { return bytes_in_words(static_cast<double>(event.number("bytes").value_or(0))); };
  switch (span.kind) {
    case FlightSpan::Kind::collective:
      return fmt::format("{} of {}", collective_in_words(span.name), bytes());
    case FlightSpan::Kind::wait:
      return "waits for " + process_in_words(event.number("process").value_or(-1), ranks);
    case FlightSpan::Kind::transfer:
      return fmt::format("transfer of {} from rank {} of its communicator", bytes(), event.text("source"));
    case FlightSpan::Kind::epoch:
      break;
  }
  const std::int64_t target = event.number("target").value_or(-1);
  return fmt::format("epoch of a window: {}{}", event.text("epoch"),
                     target < 0 ? "" : fmt::format(", target {}", target));
}

std::string event_in_words(const FlightEvent& event) {
  std::string words = event.kind->name;
  for (const FlightField& field : event.kind->fields) words += ' ' + field.name + '=' + event.text(field);
  return words;
}

std::string clock_in_words(std::int64_t time) {
  constexpr std::int64_t second = 1000000000, microsecond = 1000;
  return fmt::format("{:%H:%M:%S}.{:06}", fmt::localtime(static_cast<std::time_t>(time / second)),
                     time % second / microsecond);
}

}  // namespace bowline::launcher
