// SPDX-License-Identifier: BSD-3-Clause
#include "node/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "node/host.hpp"

namespace bowline::node {

Mapping::Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

Segment::Segment(Segment&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

Segment::~Segment() {
  if (fd_ >= 0) close(fd_);
}

Segment Segment::create(const std::string& label, std::size_t bytes) {
  Segment segment(memfd_create(label.c_str(), MFD_CLOEXEC));
  if (segment.fd_ < 0 || ftruncate(segment.fd_, static_cast<off_t>(bytes)) != 0) {
    throw Error(ErrorClass::no_mem, fmt::format("no shared memory of {} bytes can be made on {}: {}", bytes,
                                                host_name(), std::strerror(errno)));
  }
  return segment;
}

Segment Segment::open(pid_t pid, int fd) {
  const std::string path = fmt::format("/proc/{}/fd/{}", pid, fd);
  Segment segment(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (segment.fd_ < 0) {
    throw Error(ErrorClass::other,
                fmt::format("the shared memory of process {} on {} cannot be opened ({}): {}; both processes must run "
                            "as the same user and see the same /proc",
                            pid, host_name(), path, std::strerror(errno)));
  }
  return segment;
}

void Segment::reserve(std::size_t offset, std::size_t bytes) {
  int failure = 0;
  do {
    failure = posix_fallocate(fd_, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (failure == EINTR);
  if (failure != 0) {
    throw Error(ErrorClass::no_mem,
                fmt::format("{} bytes of shared memory are needed on {}, but the system has no room: {}", bytes,
                            host_name(), std::strerror(failure)));
  }
}

Mapping Segment::map(std::size_t offset, std::size_t bytes) const {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<off_t>(offset));
  if (address == MAP_FAILED) {
    throw Error(ErrorClass::no_mem, fmt::format("{} bytes of shared memory cannot be mapped on {}: {}", bytes,
                                                host_name(), std::strerror(errno)));
  }
  return Mapping({static_cast<std::byte*>(address), bytes});
}

}  // namespace bowline::node
