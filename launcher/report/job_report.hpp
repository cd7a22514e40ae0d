// SPDX-License-Identifier: BSD-3-Clause
// What all ranks of a job have done, as one report: the records of its ranks, summed up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "launcher/report/rank_record.hpp"

namespace bowline::launcher {

/// The times of a rank in seconds, and its memory. What is not known is empty.
struct RankTimes {
  std::optional<double> elapsed{}, waiting{}, transfer{};
  std::optional<double> resident_peak{};  ///< bytes

  /// Nothing unless all three are known.
  std::optional<double> computing() const;
  bool operator==(const RankTimes&) const = default;
};

/// A function and the place that calls it, over all ranks.
struct Site {
  std::string function, place;
  double waiting = 0, transfer = 0;  ///< seconds of all ranks together
  int ranks = 0;                     ///< how many have called it there
  int longest = 0;                   ///< the rank that has spent most time there
  double longest_waiting = 0, longest_transfer = 0;
  WaitedFor longest_for{};              ///< whom that rank has waited for most
  std::vector<WaitedFor> waited_for{};  ///< by all ranks, the longest first, few

  double total() const { return waiting + transfer; }
  double longest_total() const { return longest_waiting + longest_transfer; }
  std::string in_words() const;  ///< "MPI_Bcast at x.c:51"
  bool operator==(const Site&) const = default;
};

/// How many bytes went from where to where. A row is a sender and a column a receiver: a rank, a node, or as many
/// neighbours of these as are `per_cell`.
struct TrafficMatrix {
  static constexpr int most_cells = 64;
  enum class Unit { rank, node };

  Unit unit = Unit::rank;
  int per_cell = 1;
  int cells = 0;
  std::vector<std::uint64_t> bytes{};  ///< cells times cells
  std::uint64_t total = 0, between_nodes = 0;

  std::uint64_t at(int from, int to) const { return bytes[static_cast<std::size_t>(from) * cells + to]; }
  bool operator==(const TrafficMatrix&) const = default;
};

struct MemoryPoint {
  double seconds = 0, mean = 0, most = 0;  ///< bytes
  bool operator==(const MemoryPoint&) const = default;
};

struct JobReport {
  static constexpr int most_ranks = 4 << 20;

  int ranks = 0;
  std::string command{}, library{}, date{};  ///< empty if not known
  std::vector<std::string> hosts{};          ///< the nodes, in the order of their lowest ranks
  std::vector<int> node_of{};                ///< of each rank; -1 if not known
  std::vector<RankTimes> times{};            ///< of each rank
  std::vector<int> missing{};                ///< ranks without a record
  int not_sampled = 0;                       ///< ranks
  std::string note{};                        ///< why they are not sampled
  std::vector<Site> sites{};                 ///< the longest first
  TrafficMatrix traffic{};
  std::vector<CollectiveUse> collectives{};  ///< the most calls first
  std::vector<MessageSizes> sizes{};         ///< the shortest first
  std::vector<AdapterUse> adapters{};        ///< those that moved most first
  FileUse files{};
  std::vector<MemoryPoint> memory{};
  std::map<std::string, std::uint64_t> counters{};  ///< sums; of those whose names end with _peak the highest values

  std::uint64_t counter(const std::string& name) const;  ///< 0 if it is not known
  bool operator==(const JobReport&) const = default;
};

/// "rank 3", "ranks 4 to 7", a host's name or "nodes a to b": a row or column of the traffic.
std::string traffic_name(const JobReport& report, int cell);

/// The records must be of the same job, one of a rank at most.
JobReport report_of(std::span<const RankRecord> records);

}  // namespace bowline::launcher
