// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/window_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bowline::api::checking {
namespace {

using Kind = WindowAccess::Kind;

constexpr std::size_t most_access_comparisons = 4'000'000;

/// Accumulates may overlap if they have one operator and one type (the default of the info key accumulate_ops).
bool are_compatible(const WindowAccess& a, const WindowAccess& b) noexcept {
  constexpr auto goes_with_all = [](const WindowAccess& access) {
    return access.kind == Kind::swap || access.op == dtype::Operator::no_op;
  };
  return dtype::may_match(a.type, b.type) && (a.op == b.op || goes_with_all(a) || goes_with_all(b));
}

/// The conflicts of a sweep over accesses in the order of their first bytes.
class Sweep {
 public:
  Sweep(const Exposures& exposures, std::size_t most, ToldPairs& told)
      : exposures_(exposures), most_(most), told_(told) {}

  /// False: it is not worth going on.
  bool add(const WindowAccess& access) {
    if (access.writes()) compare_with(open_reads_, access);
    compare_with(open_writes_, access);
    (access.writes() ? open_writes_ : open_reads_).push_back(access);
    return found_.size() < most_ && comparisons_ < most_access_comparisons;
  }
  std::vector<AccessPair> found() && { return std::move(found_); }

 private:
  void compare_with(std::vector<WindowAccess>& open, const WindowAccess& access) {
    std::erase_if(open, [&](const WindowAccess& before) { return before.end <= access.begin; });
    comparisons_ += open.size();
    for (const WindowAccess& before : open) {
      if (before.origin != access.origin && are_in_conflict(before, access) &&
          are_concurrent(before, access, in_same_exposure(before, access)))
        keep(before, access);
    }
  }
  bool in_same_exposure(const WindowAccess& a, const WindowAccess& b) const noexcept {
    if (a.epoch != WindowAccess::Epoch::start || b.epoch != a.epoch) return false;
    const std::uint32_t exposure = exposures_.exposure(a.origin, a.exposure);
    return exposure != Exposures::unknown && exposure == exposures_.exposure(b.origin, b.exposure);
  }
  void keep(const WindowAccess& before, const WindowAccess& access) {
    const bool in_order = std::pair(before.origin, before.call) < std::pair(access.origin, access.call);
    const WindowAccess& first = in_order ? before : access;
    const WindowAccess& second = in_order ? access : before;
    if (found_.size() < most_ && told_.insert({first.origin, first.call, second.origin, second.call}).second)
      found_.push_back({first, second});
  }

  const Exposures& exposures_;
  std::size_t most_;
  ToldPairs& told_;
  std::size_t comparisons_ = 0;
  std::vector<WindowAccess> open_reads_, open_writes_;
  std::vector<AccessPair> found_;
};

}  // namespace

bool are_in_conflict(const WindowAccess& a, const WindowAccess& b) noexcept {
  if (a.common_bytes(b) == 0 || a.kind == Kind::unclear || b.kind == Kind::unclear) return false;
  if (!a.writes() && !b.writes()) return false;
  if (!a.is_accumulate() || !b.is_accumulate()) return true;
  return a.origin != b.origin && !are_compatible(a, b);
}

bool are_concurrent(const WindowAccess& a, const WindowAccess& b, bool same_exposure) noexcept {
  if (a.epoch != b.epoch) return false;
  if (a.epoch == WindowAccess::Epoch::fence) return true;
  if (a.epoch == WindowAccess::Epoch::start) return same_exposure;
  const bool excluded = a.exclusive || b.exclusive;
  return !excluded && a.barriers == b.barriers && !a.informed_since_barrier && !b.informed_since_barrier;
}

void Exposures::post(const std::vector<int>& origins) {
  ++posts_;
  for (const int origin : origins) {
    const auto index = static_cast<std::size_t>(origin);
    if (of_origin_.size() <= index) of_origin_.resize(index + 1);
    of_origin_[index].push_back(posts_);
  }
}

std::uint32_t Exposures::exposure(int origin, std::uint32_t start) const noexcept {
  const auto index = static_cast<std::size_t>(origin);
  if (index >= of_origin_.size() || start == 0 || start > of_origin_[index].size()) return unknown;
  return of_origin_[index][start - 1];
}

void Exposures::clear() {
  posts_ = 0;
  of_origin_.clear();
}

std::vector<AccessPair> find_concurrent_conflicts(std::vector<WindowAccess> accesses, const Exposures& exposures,
                                                  std::size_t most, ToldPairs& told) {
  std::ranges::stable_sort(accesses, {}, &WindowAccess::begin);
  Sweep sweep(exposures, most, told);
  for (const WindowAccess& access : accesses) {
    if (!sweep.add(access)) break;
  }
  return std::move(sweep).found();
}

std::string in_bytes(std::uint64_t bytes) {
  return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
}

// FNV-1a.
std::uint64_t digest_on(std::uint64_t digest, const void* bytes, std::uint64_t count) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3U;
  const auto* const data = static_cast<const unsigned char*>(bytes);
  for (std::uint64_t i = 0; i < count; ++i) digest = (digest ^ data[i]) * prime;
  return digest;
}

}  // namespace bowline::api::checking
