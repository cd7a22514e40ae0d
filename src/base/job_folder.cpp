// SPDX-License-Identifier: BSD-3-Clause
#include "base/job_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace bowline {

std::optional<JobFolderTicket> JobFolderTicket::of(int descriptor) noexcept {
  struct stat found {};
  if (fstat(descriptor, &found) != 0 || !S_ISDIR(found.st_mode)) return {};
  return JobFolderTicket{.descriptor = descriptor,
                         .device = static_cast<std::uint64_t>(found.st_dev),
                         .file = static_cast<std::uint64_t>(found.st_ino),
                         .network = network_namespace()};
}

std::string JobFolderTicket::text() const {
  return fmt::format("{}:{}:{}:{}", descriptor, device, file, network);
}

std::optional<JobFolderTicket> JobFolderTicket::parse(std::string_view text) noexcept {
  std::array<std::uint64_t, 4> numbers{};
  const char* place = text.data();
  const char* const end = place + text.size();
  for (std::uint64_t& number : numbers) {
    if (&number != numbers.data()) {
      if (place == end || *place != ':') return {};
      ++place;
    }
    const auto [after, error] = std::from_chars(place, end, number);
    if (error != std::errc{}) return {};
    place = after;
  }
  if (place != end || numbers[0] > std::numeric_limits<int>::max()) return {};
  return JobFolderTicket{
      .descriptor = static_cast<int>(numbers[0]), .device = numbers[1], .file = numbers[2], .network = numbers[3]};
}

std::optional<JobFolderTicket> job_folder() noexcept {
  const char* const value = std::getenv(JobFolderTicket::variable);
  if (value == nullptr) return {};
  const auto told = JobFolderTicket::parse(value);
  if (!told) return {};
  const auto found = JobFolderTicket::of(told->descriptor);
  if (!found || found->device != told->device || found->file != told->file) return {};
  return told;
}

std::uint64_t network_namespace() noexcept {
  struct stat found {};
  return stat("/proc/self/ns/net", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

sockaddr_un address_in_folder(int descriptor, std::string_view name) noexcept {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  fmt::format_to_n(std::begin(address.sun_path), sizeof address.sun_path - 1, "/proc/self/fd/{}/{}", descriptor, name);
  return address;
}

}  // namespace bowline
