// SPDX-License-Identifier: BSD-3-Clause
#include "node/segment.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/memory_file.hpp"
#include "node/host.hpp"
#include "node/memory.hpp"

namespace bowline::node {
namespace {

// Kept free for the other allocations of the process.
constexpr std::size_t margin_bytes = 1 << 20;
// Processes that reserve at the same time see the same free memory; checking again after each piece keeps them from
// using more than is free.
constexpr std::size_t piece_bytes = 8 << 20;

/// Throws Error if the kernel would have to kill a process to provide `missing` of the `wanted` bytes.
void require_memory(std::size_t wanted, std::size_t missing) {
  static constinit MemoryAllowance allowance;
  const auto found = allowance.short_of(missing, margin_bytes);
  if (!found) return;
  throw Error(
      ErrorClass::no_mem,
      fmt::format("{} bytes of shared memory are needed on {}, of which {} are still missing, but only {} bytes "
                  "are left {} ({} are kept for other uses); run fewer ranks here or allow the job more memory",
                  wanted, host_name(), missing, found->bytes, found->where, margin_bytes));
}

[[noreturn]] void refuse(std::size_t bytes, int failure) {
  throw Error(ErrorClass::no_mem,
              fmt::format("{} bytes of shared memory are needed on {}, but the system has no room: {}", bytes,
                          host_name(), std::strerror(failure)));
}

void allocate(int fd, std::size_t offset, std::size_t bytes) {
  int failure = 0;
  do {
    failure = posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  } while (failure == EINTR);
  if (failure != 0) refuse(bytes, failure);
}

/// Whether the file is the segment with this secret, has at least this length, and cannot get shorter: a shorter
/// file would raise SIGBUS in all processes that have it mapped.
bool is_segment(int file, std::size_t bytes, std::uint64_t secret) {
  struct stat found {};
  std::uint64_t first = 0;
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode) && static_cast<std::size_t>(found.st_size) >= bytes &&
         has_fixed_length(file) && pread(file, &first, sizeof first, 0) == sizeof first && first == secret;
}

constexpr std::size_t least_page_bytes = 4096;

/// The kernel's page size: 4, 16 or 64 KiB.
std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Reserves addresses for a mapping of this length, so that MAP_FIXED can replace the reservation. MAP_FAILED if there
/// are none.
void* aligned_place(std::size_t bytes, std::size_t alignment) {
  void* const wide = mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (wide == MAP_FAILED) return MAP_FAILED;
  auto* const begin = static_cast<std::byte*>(wide);
  const std::size_t before = (alignment - reinterpret_cast<std::uintptr_t>(wide) % alignment) % alignment;
  const std::size_t used = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
  if (before > 0) munmap(begin, before);
  if (before + used < bytes + alignment) munmap(begin + before + used, bytes + alignment - before - used);
  return begin + before;
}

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), before_(std::exchange(other.before_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(before_, other.before_);
  return *this;
}

Mapping::~Mapping() {
  if (!bytes_.empty()) munmap(begin_of_pages(), before_ + bytes_.size());
}

void Mapping::reserve(std::span<std::byte> part) const {
  require_memory(part.size(), part.size());
  std::byte* const begin = part.data() - static_cast<std::size_t>(part.data() - begin_of_pages()) % page_bytes();
  const auto bytes = static_cast<std::size_t>(part.data() + part.size() - begin);
  // Linux before 5.14 does not know MADV_POPULATE_WRITE; there the first writes allocate the pages.
  if (madvise(begin, bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) refuse(bytes, errno);
}

Segment Segment::create(const std::string& label, std::size_t bytes) {
  Segment segment(Descriptor(make_memory_file(label.c_str())));
  const int file = segment.descriptor();
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0 || !fix_length(file)) {
    throw Error(ErrorClass::no_mem, fmt::format("no shared memory of {} bytes can be made on {}: {}", bytes,
                                                host_name(), std::strerror(errno)));
  }
  return segment;
}

const Ticket& Segment::offer() {
  const std::uint64_t secret = make_secret();
  reserve(0, sizeof secret);
  if (pwrite(descriptor(), &secret, sizeof secret, 0) != sizeof secret) refuse(sizeof secret, errno);
  handover_ = Handover(descriptor(), secret);
  return handover_.ticket();
}

OpenedSegment Segment::open(const Ticket& ticket, std::size_t bytes) {
  Taken taken = take(ticket, [&](int file) { return is_segment(file, bytes, ticket.secret); });
  return {Segment(std::move(taken.descriptor)), taken.process, std::move(taken.connection)};
}

std::optional<Segment> Segment::open_in_proc(const Ticket& ticket, std::size_t bytes) {
  Descriptor file = take_from_proc(ticket, [&](int found) { return is_segment(found, bytes, ticket.secret); });
  if (file.number() < 0) return {};
  return Segment(std::move(file));
}

bool Segment::look(const Ticket& ticket, std::size_t offset, std::span<std::byte> to) {
  const std::optional<Segment> segment = open_in_proc(ticket, offset + to.size());
  return segment.has_value() && pread(segment->descriptor(), to.data(), to.size(), static_cast<off_t>(offset)) ==
                                    static_cast<ssize_t>(to.size());
}

bool Segment::is_closed(const Ticket& ticket) {
  return released_in_proc(ticket, [&](int file) { return is_segment(file, 0, ticket.secret); });
}

std::size_t Segment::bytes() const noexcept {
  struct stat file {};
  return fstat(descriptor(), &file) == 0 ? static_cast<std::size_t>(file.st_size) : 0;
}

void Segment::reserve(std::size_t offset, std::size_t bytes, std::size_t besides) {
  for (std::size_t done = 0; done < bytes; done += piece_bytes) {
    require_memory(bytes + besides, bytes - done + besides);
    allocate(descriptor(), offset + done, std::min(bytes - done, piece_bytes));
  }
}

Mapping Segment::map(std::size_t offset, std::size_t bytes, std::size_t alignment) const {
  void* place = alignment > least_page_bytes ? aligned_place(bytes, alignment) : nullptr;
  const int fixed = place == nullptr || place == MAP_FAILED ? 0 : MAP_FIXED;
  const std::size_t before = offset % page_bytes();
  void* address = place;
  if (place != MAP_FAILED) {
    address = mmap(place, before + bytes, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, descriptor(),
                   static_cast<off_t>(offset - before));
  }
  if (address == MAP_FAILED) {
    throw Error(ErrorClass::no_mem, fmt::format("{} bytes of shared memory cannot be mapped on {}: {}", bytes,
                                                host_name(), std::strerror(errno)));
  }
  return Mapping({static_cast<std::byte*>(address) + before, bytes}, before);
}

}  // namespace bowline::node
