// SPDX-License-Identifier: BSD-3-Clause
// Keeps what an event tells, for tests of its producer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/events/event.hpp"

namespace bowline::test {

/// Listens to one event while it exists.
class EventRecord final : public EventListener {
 public:
  using Numbers = std::vector<std::uint64_t>;  ///< of one occurrence, in the order of the event's fields

  using Occurrences = std::vector<Numbers>;

  explicit EventRecord(std::string_view name) : kind_(**std::ranges::find(EventKind::all(), name, &EventKind::name)) {
    kind_.add(*this);
  }
  ~EventRecord() { kind_.remove(*this); }
  EventRecord(const EventRecord&) = delete;
  EventRecord& operator=(const EventRecord&) = delete;

  const Occurrences& all() const noexcept { return all_; }

  void hear(const Occurrence& occurrence) noexcept override {
    Numbers numbers;
    for (const EventField& field : kind_.fields()) {
      std::uint64_t number = 0;  // the processors that this project knows are little-endian
      std::memcpy(&number, occurrence.record.data() + field.offset, field.bytes());
      numbers.push_back(number);
    }
    all_.push_back(numbers);
  }

 private:
  EventKind& kind_;
  Occurrences all_;
};

}  // namespace bowline::test
