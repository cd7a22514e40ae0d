// SPDX-License-Identifier: BSD-3-Clause
#include "base/process_id.hpp"

#include <fmt/format.h>

#include <new>

#include "base/atomic.hpp"

namespace bowline {
namespace {

constinit Atomic<const OtherJobs*> other_jobs{nullptr};

}  // namespace

std::string to_text(const ProcessId& id) {
  return fmt::format("rank {} of job {}", id.rank, id.job);
}

void name_processes_by(const OtherJobs* others) noexcept {
  other_jobs.store(others, std::memory_order_release);
}

bool knows_other_jobs() noexcept {
  return other_jobs.load(std::memory_order_acquire) != nullptr;
}

bool is_of_other_job(int process) noexcept {
  const OtherJobs* const others = other_jobs.load(std::memory_order_acquire);
  return others != nullptr && others->find(process).has_value();
}

// A number fits into a string object, so the short forms need no memory.
std::string process_name(int process) noexcept {
  const OtherJobs* const others = other_jobs.load(std::memory_order_acquire);
  const auto id = others == nullptr ? std::nullopt : others->find(process);
  if (!id.has_value()) return fmt::format("rank {}", process);
  try {
    return to_text(*id);
  } catch (const std::bad_alloc&) {
    return fmt::format("peer {}", process);
  }
}

}  // namespace bowline
