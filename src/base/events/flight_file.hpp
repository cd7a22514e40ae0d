// SPDX-License-Identifier: BSD-3-Clause
// The file into which a rank writes its last events: what it and its readers (the launcher's programs) agree on. It is
// mapped memory, so what a rank has written there stays when the rank is killed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/events/event.hpp"

namespace bowline {

/// At the beginning of the file. After it come `kinds_bytes` bytes of JSON text, and at `first_entry` the ring.
struct FlightHeader {
  static constexpr std::array<char, 8> right_magic{'B', 'O', 'W', 'L', 'F', 'L', 'T', '\n'};
  static constexpr std::uint32_t right_version = 1;

  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t entry_bytes;  ///< sizeof(FlightEntry)
  std::uint32_t entries;      ///< the length of the ring
  std::uint32_t first_entry;  ///< the offset of the ring in the file
  /// An array of what events there are; FlightEntry::kind is an index in it. Each is an object with "name" and
  /// "fields", an array of objects with "name", "type" ("int32" or "uint64"), "offset" (in the record, in bytes) and
  /// "words" (of the values 0, 1, 2 ...; empty if the number is not a word).
  std::uint32_t kinds_bytes;
  std::int32_t rank;
  std::int32_t ranks;
  std::uint32_t process;           ///< its number in the kernel
  std::int64_t to_utc;             ///< add it to event_time() to get nanoseconds since 1970, UTC
  Atomic<std::uint64_t> written;   ///< entries that have been begun since the rank has started
  Atomic<std::int64_t> finalized;  ///< event_time() when MPI has ended properly in this rank; 0: it has not
  std::array<char, 64> host;       ///< ends with 0
};

/// Entry number n, counted from 0, is at place n % entries.
struct FlightEntry {
  Atomic<std::uint64_t> number;  ///< 1 + n; it is written last. Another number: the entry is being written
  std::int64_t time;             ///< event_time()
  std::uint32_t kind;
  std::uint32_t thread;  ///< its number in the kernel
  std::array<std::byte, EventKind::longest_record> record;
};

static_assert(sizeof(FlightEntry) == 88);

}  // namespace bowline
