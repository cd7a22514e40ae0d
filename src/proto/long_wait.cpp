// SPDX-License-Identifier: BSD-3-Clause
#include "proto/long_wait.hpp"

#include <chrono>
#include <exception>

#include "base/log.hpp"

namespace bowline::proto {
namespace {

constexpr std::chrono::milliseconds until_long{50};
// What is missing changes while the wait goes on. To put it into words takes some microseconds.
constexpr std::chrono::milliseconds between_words{100};

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
    shown_->tell(awaited.in_words == nullptr ? std::string() : awaited.in_words(lane, awaited.what));
  } catch (const std::exception& error) {  // no memory for the words
    log::info("the launcher does not see what this process waits for: {}", error.what());
  }
}

}  // namespace bowline::proto
