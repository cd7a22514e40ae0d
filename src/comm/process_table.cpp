// SPDX-License-Identifier: BSD-3-Clause
#include "comm/process_table.hpp"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "base/error.hpp"

namespace bowline::comm {

ProcessTable::~ProcessTable() {
  if (!others_.empty()) name_processes_by(nullptr);
}

int ProcessTable::size() const {
  const std::lock_guard hold(mutex_);
  return end();
}

int ProcessTable::end() const {
  return others_.empty() ? ranks_ : others_.rbegin()->first + others_.rbegin()->second.ranks;
}

ProcessId ProcessTable::operator[](int process) const {
  if (is_of_this_job(process)) return {job_, process};
  const std::lock_guard hold(mutex_);
  const auto& [first, job] = *std::prev(others_.upper_bound(process));
  return {job.name, process - first};
}

std::optional<ProcessId> ProcessTable::find(int process) const {
  if (is_of_this_job(process) || process >= size()) return std::nullopt;
  return (*this)[process];
}

std::optional<int> ProcessTable::first_of(std::string_view job) const {
  if (job == job_) return 0;
  for (const auto& [first, other] : others_) {
    if (other.name == job) return first;
  }
  return std::nullopt;
}

int ProcessTable::ranks_of(std::string_view job) const {
  const std::lock_guard hold(mutex_);
  const auto first = first_of(job);
  if (!first.has_value()) return 0;
  return *first == 0 ? ranks_ : others_.at(*first).ranks;
}

std::optional<int> ProcessTable::index_of(const ProcessId& id) const {
  const std::lock_guard hold(mutex_);
  const auto first = first_of(id.job);
  if (!first.has_value()) return std::nullopt;
  const int ranks = *first == 0 ? ranks_ : others_.at(*first).ranks;
  return id.rank >= 0 && id.rank < ranks ? std::optional(*first + id.rank) : std::nullopt;
}

int ProcessTable::add(std::string_view job, int ranks) {
  const std::lock_guard hold(mutex_);
  if (const auto first = first_of(job)) return *first;
  const int first = end();
  if (ranks > std::numeric_limits<int>::max() - first) {
    throw Error(ErrorClass::other, fmt::format("job {} with {} ranks cannot be connected: this process knows {} "
                                               "processes, and may know {} in all",
                                               job, ranks, first, std::numeric_limits<int>::max()));
  }
  others_.emplace(first, Job{std::string(job), ranks});
  name_processes_by(this);
  return first;
}

}  // namespace bowline::comm
