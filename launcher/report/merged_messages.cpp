// SPDX-License-Identifier: BSD-3-Clause
// The messages of all ranks by their lengths, and what moved them.
#include <algorithm>
#include <bit>
#include <limits>
#include <map>

#include "launcher/report/json_fields.hpp"
#include "launcher/report/report_merging.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Stays at the largest number.
void add(std::uint64_t& sum, std::uint64_t number) {
  sum = number > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max()
                                                                 : sum + number;
}

}  // namespace

std::vector<MessageSizes> sizes_in(const JsonFields& fields, const std::string& file) {
  std::vector<MessageSizes> sizes;
  for (const auto& row : fields.list("sizes")) {
    const MessageSizes each{.lower = fields.count_element(row, 0),
                            .eager = fields.count_element(row, 1),
                            .announced = fields.count_element(row, 2)};
    if (each.lower != 0 && !std::has_single_bit(each.lower))
      throw UsageError("{} is no report of this kind: \"sizes\" has {}, which is no power of two", file, each.lower);
    sizes.push_back(each);
  }
  return sizes;
}

std::vector<AdapterUse> adapters_in(const JsonFields& fields, const std::string& file) {
  std::vector<AdapterUse> adapters;
  for (const auto& each : fields.list("adapters")) {
    const JsonFields use(each, file, "each of the adapters");
    adapters.push_back({.name = use.text("name"), .sent = use.count("sent"), .fetched = use.count("fetched")});
  }
  return adapters;
}

std::vector<MessageSizes> merged_sizes(std::span<const RankRecord> records) {
  std::map<std::uint64_t, MessageSizes> by_lower;
  for (const RankRecord& record : records) {
    for (const MessageSizes& row : record.sizes) {
      MessageSizes& sum = by_lower.try_emplace(row.lower, MessageSizes{.lower = row.lower}).first->second;
      add(sum.eager, row.eager);
      add(sum.announced, row.announced);
    }
  }
  std::vector<MessageSizes> merged;
  for (const auto& [lower, sum] : by_lower)
    if (sum.eager != 0 || sum.announced != 0) merged.push_back(sum);
  return merged;
}

std::vector<AdapterUse> merged_adapters(std::span<const RankRecord> records) {
  std::map<std::string, AdapterUse> by_name;
  for (const RankRecord& record : records) {
    for (const AdapterUse& use : record.adapters) {
      AdapterUse& sum = by_name.try_emplace(use.name, AdapterUse{.name = use.name}).first->second;
      add(sum.sent, use.sent);
      add(sum.fetched, use.fetched);
    }
  }
  std::vector<AdapterUse> merged;
  for (const auto& [name, sum] : by_name)
    if (sum.sent != 0 || sum.fetched != 0) merged.push_back(sum);
  std::ranges::stable_sort(merged, std::ranges::greater(), [](const AdapterUse& use) { return use.bytes(); });
  return merged;
}

}  // namespace bowline::launcher
