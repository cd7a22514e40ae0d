// SPDX-License-Identifier: BSD-3-Clause
// What the flight recorders of a job's ranks have kept: FOLDER/rank-N.flight (base/events/flight_file.hpp), read. The
// ranks may still run and write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/events/event.hpp"

namespace bowline::launcher {

/// One number in the record of an event.
struct FlightField {
  std::string name{};
  bool is_long = false;  ///< 64 bits without a sign; otherwise 32 bits with one
  std::size_t offset = 0;
  std::vector<std::string> words{};  ///< of the values 0, 1, 2 ...
};

struct FlightKind {
  std::string name{};
  std::vector<FlightField> fields{};
};

using FlightKinds = std::vector<FlightKind>;

struct FlightEvent {
  std::int64_t time = 0;             ///< nanoseconds since 1970, UTC
  const FlightKind* kind = nullptr;  ///< one of the rank's kinds
  std::uint32_t thread = 0;          ///< its number in the kernel
  std::array<std::byte, EventKind::longest_record> record{};

  bool is(std::string_view name) const { return kind->name == name; }
  /// The number in this field, nothing if the event has none of this name. Those beyond the type are its last one.
  std::optional<std::int64_t> number(std::string_view field) const;
  /// As people read it: a word if the number has one. Empty if there is no such field.
  std::string text(std::string_view field) const;
  std::string text(const FlightField& field) const;
};

struct RankFlight {
  int rank = 0, ranks = 1;
  std::string host{};
  std::uint32_t process = 0;                   ///< its number in the kernel
  std::optional<std::int64_t> finalized{};     ///< nanoseconds since 1970, UTC; empty: it has not ended properly
  bool is_whole = true;                        ///< no event has been overwritten by later ones
  std::shared_ptr<const FlightKinds> kinds{};  ///< keeps what the events point to
  std::vector<FlightEvent> events{};           ///< in the order of time
};

struct JobFlight {
  int ranks = 1;
  std::vector<RankFlight> recorded{};   ///< in the order of ranks, one of a rank at most
  std::vector<std::string> problems{};  ///< sentences about files that are left out
  std::int64_t read_at = 0;             ///< nanoseconds since 1970, UTC
};

/// An array of JSON. `file`: for the sentence. Throws UsageError.
FlightKinds parse_flight_kinds(std::string_view text, const std::string& file);

/// Entries that were being written, or do not fit, are left out. Throws UsageError, one sentence that begins with the
/// file's name, if it is no recording of this version.
RankFlight read_flight(const std::filesystem::path& file);

/// From the folder's files rank-N.flight. Throws UsageError if there is none, or none that can be read.
JobFlight read_flights(const std::filesystem::path& folder);

}  // namespace bowline::launcher
