// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/record_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "launcher/queues/queue_error.hpp"

namespace bowline::launcher {
namespace {

/// What every version of the record begins with.
struct Beginning {
  std::array<char, 16> magic;
  std::uint32_t version;
  std::uint32_t bytes;
  std::uint64_t self;
};
static_assert(offsetof(QueueRecord, self) == offsetof(Beginning, self) &&
              offsetof(QueueRecord, version) == offsetof(Beginning, version));

/// `self`: what the record has to say of its address.
std::optional<Beginning> beginning_at(const ProcessMemory& memory, std::uint64_t address, std::uint64_t self) {
  Beginning beginning;
  const bool is_read = memory.read(address, std::as_writable_bytes(std::span(&beginning, 1)));
  const bool is_record = is_read && beginning.magic == QueueRecord::right_magic && beginning.self == self;
  return is_record ? std::optional(beginning) : std::nullopt;
}

bool is_understood(const Beginning& beginning) noexcept {
  return beginning.version == QueueRecord::this_version && beginning.bytes >= sizeof(QueueRecord);
}

/// The addresses in a part of the range whose memory begins as a record does.
std::vector<std::uint64_t> candidates(std::span<const std::byte> bytes, std::uint64_t address) {
  std::vector<std::uint64_t> found;
  constexpr std::size_t step = alignof(QueueRecord);
  for (std::size_t at = 0; at + sizeof QueueRecord::right_magic <= bytes.size(); at += step) {
    if (std::memcmp(bytes.data() + at, QueueRecord::right_magic.data(), sizeof QueueRecord::right_magic) == 0)
      found.push_back(address + at);
  }
  return found;
}

/// The address of the record in this range; 0 if there is none.
std::uint64_t search(const ProcessMemory& memory, const MemoryRange& range) {
  constexpr std::size_t longest = std::size_t{1} << 20;
  std::vector<std::byte> bytes(longest);
  for (std::uint64_t address = range.begin; address < range.end; address += longest) {
    const std::span<std::byte> part(bytes.data(), std::min<std::uint64_t>(longest, range.end - address));
    if (!memory.read(address, part)) continue;
    for (const std::uint64_t candidate : candidates(part, address)) {
      if (beginning_at(memory, candidate, candidate)) return candidate;
    }
  }
  return 0;
}

std::uint64_t address_of_record(const ProcessMemory& memory) {
  if (const auto known = memory.record()) return *known;
  for (const MemoryRange& range : memory.writable_of_files()) {
    if (const std::uint64_t address = search(memory, range); address != 0) return address;
  }
  return 0;
}

}  // namespace

QueueRecord find_queue_record(const ProcessMemory& memory) {
  const std::uint64_t address = address_of_record(memory);
  const std::optional<Beginning> beginning = address == 0 ? std::nullopt : beginning_at(memory, address, address);
  if (!beginning)
    throw QueueError(
        "{} has no message queues of Bowline: it uses no Bowline, an older one, or has not called MPI_Init{}",
        memory.name(), memory.changes() ? "" : fmt::format("; or {}", memory.advice()));
  if (!is_understood(*beginning))
    throw QueueError(
        "the message queues of {} are those of another version of Bowline ({}, not {}): use the bowline-ps, or the "
        "libbowline_dbg.so, of that version",
        memory.name(), beginning->version, QueueRecord::this_version);
  QueueRecord record;
  if (!memory.read(address, std::as_writable_bytes(std::span(&record, 1))))
    throw QueueError("the record of the message queues of {} cannot be read: {}", memory.name(), memory.advice());
  return record;
}

bool awaits_mpi_init(const ProcessMemory& memory) {
  constexpr std::uint64_t unused = 0;
  const std::optional<std::uint64_t> address = memory.record();
  const std::optional<Beginning> beginning = address ? beginning_at(memory, *address, unused) : std::nullopt;
  return beginning && is_understood(*beginning);
}

}  // namespace bowline::launcher
