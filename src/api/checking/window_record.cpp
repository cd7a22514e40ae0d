// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/window_record.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "rma/window.hpp"

namespace bowline::api::checking {
namespace {

using Kind = WindowAccess::Kind;
using Epoch = WindowAccess::Epoch;

/// Whether both are of one place and one epoch, so that they can be kept as one if their bytes allow it.
bool are_alike(const WindowAccess& a, const WindowAccess& b) noexcept {
  const auto facts = [](const WindowAccess& access) {
    return std::tuple(access.call, access.exposure, access.barriers, access.kind, access.epoch, access.op, access.type,
                      access.has_digest, access.exclusive, access.informed, access.informed_since_barrier);
  };
  return facts(a) == facts(b);
}

/// Whether the access became part of the one before.
bool joined(WindowAccess& before, const WindowAccess& access, std::span<const std::byte> data) noexcept {
  if (!are_alike(before, access)) return false;
  if (before.begin <= access.begin && access.end <= before.end) {
    before.has_digest = false;
    return true;
  }
  if (before.end != access.begin) return false;
  before.end = access.end;
  before.digest = digest_on(before.digest, data.data(), data.size());
  return true;
}

}  // namespace

WindowRecord::WindowRecord(rma::Window& window, std::vector<std::int64_t> units)
    : window_(window), units_(std::move(units)) {}

std::optional<WindowRecord::Earlier> WindowRecord::add(int target, WindowAccess access, std::span<const std::byte> data,
                                                       const MpiCall& by, const Knowledge& now, bool may_be_complete) {
  access.call = number_of(by);
  access.origin = window_.rank();
  access.epoch = epoch();
  access.exposure = access.epoch == Epoch::start ? starts_[target] : 0;
  access.barriers = barriers_;
  access.exclusive = now.holds_exclusive_lock;
  access.informed = informed(now);
  access.informed_since_barrier = now.always_informed || now.learnt != learnt_at_barrier_;
  access.has_digest = !data.empty();
  has_read_ = has_read_ || access.kind != Kind::put;
  Pending& pending = pending_[target];
  std::optional<Earlier> conflict = conflict_in(pending, access);
  if (!may_be_complete && access.kind != Kind::unclear && pending.accesses.size() < most_accesses) {
    pending.accesses.insert({access.begin, access});
    pending.longest = std::max(pending.longest, access.end - access.begin);
  }
  keep(to_targets_[target], access, data);
  return conflict;
}

Epoch WindowRecord::epoch() const noexcept {
  if (locks_ > 0 || all_locked_) return Epoch::lock;
  return start_is_open_ ? Epoch::start : Epoch::fence;
}

std::uint32_t WindowRecord::number_of(const MpiCall& call) {
  const auto [found, is_new] = numbers_.insert({call.returns_to, static_cast<std::uint32_t>(calls_.size())});
  if (is_new) calls_.push_back(call);
  return found->second;
}

std::optional<WindowRecord::Earlier> WindowRecord::conflict_in(const Pending& pending,
                                                               const WindowAccess& access) const {
  const std::uint64_t from = access.begin - std::min(access.begin, pending.longest);
  for (auto at = pending.accesses.lower_bound(from); at != pending.accesses.end() && at->first < access.end; ++at) {
    if (are_in_conflict(at->second, access)) return Earlier{at->second, calls_[at->second.call]};
  }
  return {};
}

void WindowRecord::keep(ToTarget& list, const WindowAccess& access, std::span<const std::byte> data) {
  list.writes = list.writes || access.writes();
  // Those under locks of a process that is informed conflict with nothing for certain.
  const bool serves = access.epoch != Epoch::lock || !(access.informed_since_barrier || access.exclusive);
  if (!serves || is_full()) {
    list.is_complete = list.is_complete && !access.writes();
    return;
  }
  if (!list.accesses.empty() && joined(list.accesses.back(), access, data)) return;
  list.accesses.push_back(access);
  list.accesses.back().digest = digest_on(digest_start, data.data(), data.size());
  ++kept_;
}

void WindowRecord::started(const std::vector<int>& targets) {
  start_is_open_ = true;
  for (const int target : targets) ++starts_[target];
}

void WindowRecord::locked(int target, bool exclusive) {
  ++locks_;
  if (exclusive) exclusive_.insert(target);
  if (target == window_.rank()) (exclusive ? own_exclusive_ : own_shared_) = true;
}

void WindowRecord::locked_all() {
  all_locked_ = true;
  own_shared_ = true;
}

void WindowRecord::completed(int target) {
  has_read_ = false;
  if (target < 0)
    pending_.clear();
  else
    pending_.erase(target);
}

void WindowRecord::unlocked(int target) {
  completed(target);
  exclusive_.erase(target);
  if (locks_ > 0) --locks_;
}

void WindowRecord::all_unlocked() {
  completed(-1);
  all_locked_ = false;
}

void WindowRecord::passed_barrier(const Knowledge& now) {
  ++barriers_;
  learnt_at_barrier_ = now.learnt;
}

void WindowRecord::begin_anew(const Knowledge& now) {
  completed(-1);
  to_targets_.clear();
  starts_.clear();
  exposures_.clear();
  kept_ = 0;
  barriers_ = 0;
  learnt_at_begin_ = learnt_at_barrier_ = now.learnt;
  own_exclusive_ = exclusive_.contains(window_.rank());
  own_shared_ = locks_ > 0 || all_locked_;
}

}  // namespace bowline::api::checking
