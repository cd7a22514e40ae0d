// SPDX-License-Identifier: BSD-3-Clause
// Parts of events as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "launcher/flight/flight_record.hpp"
#include "launcher/flight/flight_spans.hpp"

namespace bowline::launcher {

/// "rank 3", "process 9 of another job", "several ranks or any". `ranks`: of the job.
std::string process_in_words(std::int64_t process, int ranks);

/// "allreduce (slots)" for "allreduce/slots".
std::string collective_in_words(const std::string& name);

/// "waits for rank 3", "allreduce (slots)", "transfer from rank 2 of its communicator", "epoch of a lock".
std::string span_in_words(const FlightSpan& span, int ranks);

/// "wait_begun process=1 context=7".
std::string event_in_words(const FlightEvent& event);

/// Local time of the day: "12:34:56.123456".
std::string clock_in_words(std::int64_t time);

}  // namespace bowline::launcher
