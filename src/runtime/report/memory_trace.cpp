// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/report/memory_trace.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>

#include "base/events/event.hpp"

namespace bowline::runtime {

void MemoryTrace::look() noexcept {
  if (calls_++ % interval_ == 0) add({event_time(), resident_bytes()});
}

void MemoryTrace::add(Point point) noexcept {
  if (count_ == most) {
    for (std::size_t i = 0; i < most / 2; ++i) points_[i] = points_[2 * i];
    count_ = most / 2;
    interval_ *= 2;
  }
  points_[count_++] = point;
}

/// The second number in /proc/self/statm counts pages.
std::uint64_t resident_bytes() noexcept {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::array<char, 64> text{};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  const char* const end = text.data() + (length > 0 ? length : 0);
  const char* at = text.data();
  while (at != end && *at != ' ') ++at;
  std::uint64_t pages = 0;
  if (at != end) std::from_chars(at + 1, end, pages);
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t resident_peak() noexcept {
  constexpr std::uint64_t kibibyte = 1024;
  rusage usage{};
  return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * kibibyte : 0;
}

}  // namespace bowline::runtime
