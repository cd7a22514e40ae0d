// SPDX-License-Identifier: BSD-3-Clause
// What one rank has written of itself for the report of its job: FOLDER/rank-N.json, read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

inline constexpr int several_ranks = -1;  ///< waited for; or it is not known for which rank

struct WaitedFor {
  int rank = several_ranks;
  double seconds = 0;
  bool operator==(const WaitedFor&) const = default;
};

/// A function of MPI and the place that calls it.
struct RecordedSite {
  std::string function, place;
  double waiting = 0, transfer = 0;  ///< seconds
  std::vector<WaitedFor> waited_for{};
};

struct RecordedTraffic {
  int peer = 0;
  std::uint64_t sent = 0;     ///< bytes to the peer
  std::uint64_t fetched = 0;  ///< bytes that this rank has read out of the peer's memory
};

struct CollectiveUse {
  std::string operation, algorithm;
  std::uint64_t calls = 0;
  bool operator==(const CollectiveUse&) const = default;
};

struct FileUse {
  std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
  bool operator==(const FileUse&) const = default;
};

/// Messages of at least `lower` bytes, and fewer than the next power of two.
struct MessageSizes {
  std::uint64_t lower = 0;
  std::uint64_t eager = 0;      ///< sent at once
  std::uint64_t announced = 0;  ///< sent when the receiver had asked for them
  bool operator==(const MessageSizes&) const = default;
};

/// What went through shared memory, an adapter or a library for networks.
struct AdapterUse {
  std::string name{};
  std::uint64_t sent = 0, fetched = 0;  ///< bytes; fetched: read out of the memory of others
  double bytes() const { return static_cast<double>(sent) + static_cast<double>(fetched); }
  bool operator==(const AdapterUse&) const = default;
};

struct MemorySample {
  double seconds = 0, bytes = 0;
};

/// What is not known is empty.
struct RankRecord {
  int rank = 0, ranks = 1;
  std::string host{}, command{}, library{};
  std::string note{};  ///< why it is not sampled
  bool sampled = true;
  std::optional<double> elapsed{}, waiting{}, transfer{};  ///< seconds
  std::vector<RecordedSite> sites{};
  std::vector<RecordedTraffic> traffic{};
  std::vector<CollectiveUse> collectives{};
  std::vector<MessageSizes> sizes{};
  std::vector<AdapterUse> adapters{};
  FileUse files{};
  std::optional<double> resident_peak{};  ///< bytes
  std::vector<MemorySample> memory{};
  std::map<std::string, std::uint64_t> counters{};
};

/// Throws UsageError, one sentence that begins with the file's name, if this is no record. `text`: the file's.
RankRecord parse_record(std::string_view text, const std::string& file);

class JsonFields;
/// "sizes": [[lower, eager, announced], ...]. Throws UsageError if a lower bound is no power of two, nor 0.
std::vector<MessageSizes> sizes_in(const JsonFields& fields, const std::string& file);
/// "adapters": [{"name": ..., "sent": ..., "fetched": ...}, ...]. Throws UsageError.
std::vector<AdapterUse> adapters_in(const JsonFields& fields, const std::string& file);

RankRecord read_record(const std::filesystem::path& file);

}  // namespace bowline::launcher
