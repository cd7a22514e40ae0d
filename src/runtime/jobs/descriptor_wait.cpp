// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/descriptor_wait.hpp"

#include <utility>

namespace bowline::runtime {
namespace {

using namespace std::chrono_literals;

// Messages do not wake the thread, so its sleeps are short; and longer if nothing has come for a while.
constexpr int short_sleep_ms = 1, long_sleep_ms = 10;
constexpr auto long_idle = 100ms;

}  // namespace

DescriptorWait::DescriptorWait(proto::Lanes& lanes, std::string words, std::optional<double> seconds)
    : lanes_(lanes), words_(std::move(words)), seconds_(seconds) {
  if (seconds_) {
    deadline_ = idle_since_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds_));
  }
}

void DescriptorWait::rest(std::span<pollfd> descriptors) {
  if (const unsigned events = lanes_.progress(); events != 0) {
    idle_since_ = Clock::now();
    shown_.progressed(events);
    poll(descriptors.data(), descriptors.size(), 0);
    return;
  }
  shown_.look(lanes_[0], {&describe, this});
  const bool idle = Clock::now() - idle_since_ > long_idle;
  poll(descriptors.data(), descriptors.size(), idle ? long_sleep_ms : short_sleep_ms);
}

proto::WaitDescription DescriptorWait::describe(proto::Engine&, const void* wait) {
  return {static_cast<const DescriptorWait*>(wait)->words_};
}

}  // namespace bowline::runtime
