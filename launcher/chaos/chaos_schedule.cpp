// SPDX-License-Identifier: BSD-3-Clause
// See chaos_schedule.hpp.
#include "launcher/chaos/chaos_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace bowline::launcher {
namespace {

using std::chrono::milliseconds;

struct Range {
  milliseconds shortest, longest;
};
constexpr Range stops{milliseconds(100), milliseconds(2000)};
constexpr Range delays{milliseconds(1), milliseconds(50)};

}  // namespace

ChaosSchedule::ChaosSchedule(const ChaosSettings& settings, int ranks)
    : rate_(settings.rate),
      kinds_(settings.kinds),
      left_(static_cast<size_t>(ranks)),
      go_on_(static_cast<size_t>(ranks)),
      kills_(std::min(settings.most.value_or(ranks - 1), ranks - 1)),
      state_(settings.seed),
      at_(settings.after) {
  std::iota(left_.begin(), left_.end(), 0);
  if (kills_ == 0) std::erase(kinds_, ChaosKind::kill);
}

std::optional<ChaosDeed> ChaosSchedule::next() {
  if (left_.size() < 2) std::erase(kinds_, ChaosKind::link);
  if (kinds_.empty()) return std::nullopt;
  constexpr double unit = 0x1p-53;  // the upper 53 bits make a number from 0 to below 1
  std::vector<int> ranks;
  while (ranks.empty()) {
    const double share = static_cast<double>(random() >> 11) * unit;
    at_ += std::chrono::round<milliseconds>(std::chrono::duration<double>(-std::log1p(-share) / rate_));
    ranks = running();
  }
  ChaosDeed deed{.at = at_, .kind = draw_kind(), .rank = 0, .duration = milliseconds(0)};
  deed.rank = ranks[static_cast<size_t>(below(static_cast<int>(ranks.size())))];
  deed.duration = draw_duration(deed.kind);
  if (deed.kind == ChaosKind::link) deed.other = draw_other(deed.rank);
  go_on_[static_cast<size_t>(deed.rank)] = deed.at + deed.duration;
  if (deed.kind == ChaosKind::kill) {
    std::erase(left_, deed.rank);
    if (--kills_ == 0) std::erase(kinds_, ChaosKind::kill);
  }
  return deed;
}

std::uint64_t ChaosSchedule::random() {
  std::uint64_t mixed = (state_ += 0x9e3779b97f4a7c15);
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

/// From 0 to below `bound`; numbers differ in probability by less than 2^-32.
int ChaosSchedule::below(int bound) {
  return static_cast<int>((random() >> 32) * static_cast<std::uint64_t>(bound) >> 32);
}

ChaosKind ChaosSchedule::draw_kind() {
  return kinds_[static_cast<size_t>(below(static_cast<int>(kinds_.size())))];
}

/// Any rank but `rank` that has not been killed.
int ChaosSchedule::draw_other(int rank) {
  const int other = left_[static_cast<size_t>(below(static_cast<int>(left_.size()) - 1))];
  return other == rank ? left_.back() : other;
}

std::vector<int> ChaosSchedule::running() const {
  std::vector<int> ranks;
  std::ranges::copy_if(left_, std::back_inserter(ranks),
                       [this](int rank) { return go_on_[static_cast<size_t>(rank)] <= at_; });
  return ranks;
}

milliseconds ChaosSchedule::draw_duration(ChaosKind kind) {
  if (kind == ChaosKind::kill || kind == ChaosKind::link) return milliseconds(0);
  const Range& range = kind == ChaosKind::stop ? stops : delays;
  return range.shortest + milliseconds(below(static_cast<int>((range.longest - range.shortest).count()) + 1));
}

}  // namespace bowline::launcher
