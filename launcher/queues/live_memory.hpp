// SPDX-License-Identifier: BSD-3-Clause
// The memory of a process that runs. Reading it neither stops nor slows the process.
#pragma once

#include <sys/types.h>

#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

class LiveMemory final : public ProcessMemory {
 public:
  /// Throws QueueError if there is no such process, or if the kernel does not let this user read its memory.
  explicit LiveMemory(pid_t process);
  ~LiveMemory() override;

  bool read(std::uint64_t address, std::span<std::byte> into) const noexcept override;
  std::vector<MemoryRange> writable_of_files() const override;
  bool changes() const noexcept override { return true; }
  std::string advice() const override;

 private:
  pid_t process_;
  int file_;
};

}  // namespace bowline::launcher
