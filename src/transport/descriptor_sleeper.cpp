// SPDX-License-Identifier: BSD-3-Clause
#include "transport/descriptor_sleeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace bowline::transport {
namespace {

constexpr std::size_t most_watched = 32;

}  // namespace

DescriptorSleeper::DescriptorSleeper() {
  if (pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw Error(ErrorClass::other, fmt::format("no pipe can be made to be woken by: {}", std::strerror(errno)));
  }
  watch(ends_[0]);
}

DescriptorSleeper::~DescriptorSleeper() {
  for (const int end : ends_) close(end);
}

void DescriptorSleeper::announce_to(Sleeper& local, int longest) {
  const std::lock_guard hold(mutex_);
  local_.push_back(&local);
  longest_ = longest;
}

void DescriptorSleeper::forget(Sleeper& local) noexcept {
  const std::lock_guard hold(mutex_);
  std::erase(local_, &local);
}

void DescriptorSleeper::announce() noexcept {
  const std::lock_guard hold(mutex_);
  for (Sleeper* const local : local_) local->announce();
}

void DescriptorSleeper::withdraw() noexcept {
  const std::lock_guard hold(mutex_);
  for (Sleeper* const local : local_) local->withdraw();
}

int DescriptorSleeper::at_most(int milliseconds) noexcept {
  const std::lock_guard hold(mutex_);
  return std::min(milliseconds, longest_);
}

void DescriptorSleeper::watch(int descriptor) {
  const std::lock_guard hold(mutex_);
  watched_.push_back({descriptor, POLLIN, 0});
}

std::size_t DescriptorSleeper::copy_to(std::span<pollfd> descriptors) noexcept {
  const std::lock_guard hold(mutex_);
  const std::size_t count = std::min(watched_.size(), descriptors.size());
  std::copy_n(watched_.begin(), count, descriptors.begin());
  return count;
}

void DescriptorSleeper::sleep(int milliseconds) noexcept {
  // The list is a copy, because poll() writes to it and several threads may sleep at the same time.
  std::array<pollfd, most_watched> descriptors;
  const std::size_t count = copy_to(descriptors);
  const int ready = ::poll(descriptors.data(), count, at_most(milliseconds));
  // Several processes may have written to the pipe, or none. Bytes that stay in it only cause a poll that finds
  // nothing.
  std::array<std::byte, 64> rings;
  if (ready > 0 && descriptors[0].revents != 0) {
    while (read(ends_[0], rings.data(), rings.size()) == static_cast<ssize_t>(rings.size())) continue;
  }
  withdraw();
}

void DescriptorSleeper::wake() noexcept {
  constexpr std::byte ring{1};
  const ssize_t written = write(bell(), &ring, 1);  // a full pipe wakes the sleepers, too
  static_cast<void>(written);
}

}  // namespace bowline::transport
