// SPDX-License-Identifier: BSD-3-Clause
// The memory of all ranks over time. Each looks at times of its own: its latest value counts for each point.
#include <algorithm>

#include "launcher/report/report_merging.hpp"

namespace bowline::launcher {
namespace {

constexpr std::size_t most_points = 200;

struct GrowingPoint {
  double sum = 0, most = 0;
  int ranks = 0;
};

/// Adds a rank's values to points that are `step` seconds apart, the first one at the end of the first step.
void add_samples(const std::vector<MemorySample>& samples, double step, std::vector<GrowingPoint>& points) {
  constexpr double slack = 1e-9;  // the last sample belongs to the last point
  std::size_t next = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double end = step * static_cast<double>(i + 1) * (1 + slack);
    for (; next < samples.size() && samples[next].seconds <= end; ++next)
      points[i].most = std::max(points[i].most, samples[next].bytes);
    if (next == 0) continue;
    points[i].sum += samples[next - 1].bytes;
    points[i].most = std::max(points[i].most, samples[next - 1].bytes);
    ++points[i].ranks;
  }
}

}  // namespace

std::vector<MemoryPoint> merged_memory(std::span<const RankRecord> records) {
  std::size_t number = 0;
  double end = 0;
  for (const RankRecord& record : records) {
    number = std::max(number, record.memory.size());
    for (const MemorySample& sample : record.memory) end = std::max(end, sample.seconds);
  }
  if (number == 0 || end <= 0) return {};
  std::vector<GrowingPoint> points(std::min(number, most_points));
  const double step = end / static_cast<double>(points.size());
  for (const RankRecord& record : records) add_samples(record.memory, step, points);
  std::vector<MemoryPoint> merged;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const GrowingPoint& point = points[i];
    if (point.ranks == 0) continue;
    merged.push_back(
        {.seconds = step * static_cast<double>(i + 1), .mean = point.sum / point.ranks, .most = point.most});
  }
  return merged;
}

}  // namespace bowline::launcher
