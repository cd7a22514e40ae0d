// SPDX-License-Identifier: BSD-3-Clause
// The calls of all ranks at the same place become one.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "launcher/report/report_merging.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t most_waited_for = 6;

struct GrowingSite {
  Site site{};
  std::unordered_map<int, double> waited_for{};
  int last_rank = -1;
};

void add_site(const RankRecord& record, const RecordedSite& from, GrowingSite& to) {
  Site& site = to.site;
  site.waiting += from.waiting;
  site.transfer += from.transfer;
  if (to.last_rank != record.rank) ++site.ranks;
  to.last_rank = record.rank;
  WaitedFor longest;
  for (const WaitedFor& each : from.waited_for) {
    to.waited_for[each.rank] += each.seconds;
    if (each.seconds > longest.seconds) longest = each;
  }
  if (site.ranks > 1 && from.waiting + from.transfer <= site.longest_total()) return;
  site.longest = record.rank;
  site.longest_waiting = from.waiting;
  site.longest_transfer = from.transfer;
  site.longest_for = longest;
}

std::vector<WaitedFor> longest_waits(const std::unordered_map<int, double>& sums) {
  std::vector<WaitedFor> waits;
  for (const auto& [rank, seconds] : sums) {
    if (seconds > 0) waits.push_back({.rank = rank, .seconds = seconds});
  }
  std::ranges::sort(waits, [](const WaitedFor& a, const WaitedFor& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.rank < b.rank;
  });
  if (waits.size() > most_waited_for) waits.resize(most_waited_for);
  return waits;
}

}  // namespace

std::vector<Site> merged_sites(std::span<const RankRecord> records) {
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<GrowingSite> growing;
  for (const RankRecord& record : records) {
    for (const RecordedSite& each : record.sites) {
      const auto [found, is_new] = numbers.try_emplace(each.function + '\n' + each.place, growing.size());
      if (is_new) growing.push_back({.site = {.function = each.function, .place = each.place}});
      add_site(record, each, growing[found->second]);
    }
  }
  std::vector<Site> sites;
  for (GrowingSite& each : growing) {
    each.site.waited_for = longest_waits(each.waited_for);
    sites.push_back(std::move(each.site));
  }
  std::ranges::stable_sort(sites, std::ranges::greater(), &Site::total);
  return sites;
}

}  // namespace bowline::launcher
