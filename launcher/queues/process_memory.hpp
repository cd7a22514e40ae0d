// SPDX-License-Identifier: BSD-3-Clause
// ProcessMemory: the memory of a rank as its readers see it, whether the rank lives or has left a core file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace bowline::launcher {

struct MemoryRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class ProcessMemory {
 public:
  virtual ~ProcessMemory() = default;
  ProcessMemory(const ProcessMemory&) = delete;
  ProcessMemory& operator=(const ProcessMemory&) = delete;

  /// Copies the memory at this address; false if it cannot all be read.
  virtual bool read(std::uint64_t address, std::span<std::byte> into) const noexcept = 0;
  /// The address of the record of queues, if the reader can ask for the symbol; nothing: the memory is searched for it.
  virtual std::optional<std::uint64_t> record() const { return std::nullopt; }
  /// The writable memory of the program and its libraries. Throws QueueError if it cannot be listed.
  virtual std::vector<MemoryRange> writable_of_files() const = 0;
  /// Whether the process runs on while its memory is read.
  virtual bool changes() const noexcept = 0;
  /// What may be wrong with this memory, as words that end a sentence about memory that cannot be understood.
  virtual std::string advice() const = 0;

  /// How sentences name it, such as "process 4711".
  const std::string& name() const noexcept { return name_; }

 protected:
  explicit ProcessMemory(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

}  // namespace bowline::launcher
