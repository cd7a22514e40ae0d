// SPDX-License-Identifier: BSD-3-Clause
#include "proto/long_wait.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "base/log.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

constexpr std::chrono::milliseconds until_long{50};
// What is missing changes while the wait goes on. To put it into words takes some microseconds.
constexpr std::chrono::milliseconds between_words{100};

/// The number of threads of this process; 0 if it is not known.
std::size_t thread_count() noexcept {
  struct stat tasks {};
  constexpr nlink_t of_itself = 2;  // the links that every directory has
  return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > of_itself ? tasks.st_nlink - of_itself : 0;
}

bool is_near(Engine& lane) noexcept {
  return std::ranges::all_of(lane.loop().devices(), [](const transport::Device* device) {
    return device->name() == "shm" || device->name() == "self";
  });
}

/// Whether a wait of this thread for ranks can be ended by these ranks only, through shared memory: messages of a
/// network may be under way for long, and other threads of the program may call MPI, too.
bool only_ranks_of_this_node_act(Engine& lane) noexcept {
  if (lane.loop().lock().enabled() && thread_count() != 1) return false;
  const Lanes* const lanes = lane.loop().lanes();
  if (lanes == nullptr) return is_near(lane);
  for (std::size_t i = 0; i < lanes->count(); ++i) {
    if (!is_near((*lanes)[i])) return false;
  }
  return true;
}

}  // namespace

void LongWait::show_if_long(Engine& lane, Awaiting awaited) noexcept {
  const auto now = ShownWait::Clock::now();
  if (!shown_.has_value()) {
    shown_.emplace(now);
    next_ = now + until_long;
  }
  if (now < next_) return;
  next_ = now + between_words;
  try {
    WaitDescription wait = awaited.describe == nullptr ? WaitDescription{} : awaited.describe(lane, awaited.what);
    if (!only_ranks_of_this_node_act(lane)) wait.targets = {};
    shown_->tell(wait.words, wait.targets, events_ + Lanes::events_beside());
  } catch (const std::exception& error) {  // no memory for the words
    log::info("the launcher does not see what this process waits for: {}", error.what());
  }
}

}  // namespace bowline::proto
