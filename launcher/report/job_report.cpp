// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/job_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "launcher/report/report_merging.hpp"

namespace bowline::launcher {
namespace {

void add_hosts(std::span<const RankRecord> records, JobReport& report) {
  std::vector<const RankRecord*> by_rank(static_cast<std::size_t>(report.ranks), nullptr);
  for (const RankRecord& record : records) by_rank[static_cast<std::size_t>(record.rank)] = &record;
  std::unordered_map<std::string, int> numbers;
  report.node_of.assign(by_rank.size(), -1);
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    if (by_rank[rank] == nullptr) {
      report.missing.push_back(static_cast<int>(rank));
      continue;
    }
    const std::string& host = by_rank[rank]->host;
    if (host.empty()) continue;
    const auto [found, is_new] = numbers.try_emplace(host, static_cast<int>(report.hosts.size()));
    if (is_new) report.hosts.push_back(host);
    report.node_of[rank] = found->second;
  }
}

void add_counters(const RankRecord& record, JobReport& report) {
  for (const auto& [name, value] : record.counters) {
    std::uint64_t& sum = report.counters[name];
    sum = name.ends_with("_peak") ? std::max(sum, value) : sum + value;
  }
}

std::vector<CollectiveUse> merged_collectives(std::span<const RankRecord> records) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> calls;
  for (const RankRecord& record : records)
    for (const CollectiveUse& use : record.collectives) calls[{use.operation, use.algorithm}] += use.calls;
  std::vector<CollectiveUse> merged;
  for (const auto& [name, number] : calls)
    merged.push_back({.operation = name.first, .algorithm = name.second, .calls = number});
  std::ranges::stable_sort(merged, std::ranges::greater(), &CollectiveUse::calls);
  return merged;
}

}  // namespace

std::optional<double> RankTimes::computing() const {
  if (!elapsed || !waiting || !transfer) return {};
  return std::max(0.0, *elapsed - *waiting - *transfer);
}

std::string Site::in_words() const {
  return place.empty() ? function : fmt::format("{} at {}", function, place);
}

std::uint64_t JobReport::counter(const std::string& name) const {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

std::string traffic_name(const JobReport& report, int cell) {
  const TrafficMatrix& traffic = report.traffic;
  const bool are_ranks = traffic.unit == TrafficMatrix::Unit::rank;
  const int units = are_ranks ? report.ranks : static_cast<int>(report.hosts.size());
  const int first = cell * traffic.per_cell, last = std::min(first + traffic.per_cell, units) - 1;
  const auto host = [&report](int node) -> const std::string& { return report.hosts[static_cast<std::size_t>(node)]; };
  if (are_ranks) return first == last ? fmt::format("rank {}", first) : fmt::format("ranks {} to {}", first, last);
  return first == last ? host(first) : fmt::format("nodes {} to {}", host(first), host(last));
}

JobReport report_of(std::span<const RankRecord> records) {
  JobReport report;
  for (const RankRecord& record : records) report.ranks = std::max(report.ranks, record.ranks);
  add_hosts(records, report);
  report.times.resize(static_cast<std::size_t>(report.ranks));
  for (const RankRecord& record : records) {
    report.times[static_cast<std::size_t>(record.rank)] = {.elapsed = record.elapsed,
                                                           .waiting = record.waiting,
                                                           .transfer = record.sampled ? record.transfer : std::nullopt,
                                                           .resident_peak = record.resident_peak};
    if (report.command.empty()) report.command = record.command;
    if (report.library.empty()) report.library = record.library;
    if (!record.sampled) ++report.not_sampled;
    if (!record.sampled && report.note.empty()) report.note = record.note;
    report.files.reads += record.files.reads;
    report.files.writes += record.files.writes;
    report.files.bytes_read += record.files.bytes_read;
    report.files.bytes_written += record.files.bytes_written;
    add_counters(record, report);
  }
  report.sites = merged_sites(records);
  report.traffic = merged_traffic(records, report);
  report.collectives = merged_collectives(records);
  report.sizes = merged_sizes(records);
  report.adapters = merged_adapters(records);
  report.memory = merged_memory(records);
  return report;
}

}  // namespace bowline::launcher
