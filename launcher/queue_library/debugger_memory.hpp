// SPDX-License-Identifier: BSD-3-Clause
// DebuggerMemory: the memory of a process that a debugger has stopped, or of its core file, read by the debugger.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "launcher/queue_library/mqs.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

class DebuggerMemory final : public ProcessMemory {
 public:
  /// Copies so many bytes; false if they cannot be read.
  using Read = std::function<bool(std::uint64_t address, std::size_t bytes, void* into)>;

  /// `record`: the address of the symbol bowline_queue_record; 0 if the debugger knows none.
  DebuggerMemory(std::string name, std::uint64_t record, Read read)
      : ProcessMemory(std::move(name)), record_(record), read_(std::move(read)) {}

  bool read(std::uint64_t address, std::span<std::byte> into) const noexcept override {
    return into.empty() || read_(address, into.size(), into.data());
  }
  std::optional<std::uint64_t> record() const override { return record_; }
  std::vector<MemoryRange> writable_of_files() const override { return {}; }
  bool changes() const noexcept override { return false; }
  std::string advice() const override {
    return "the process was stopped while it changed its queues, so let it go on for a moment; or its core file is "
           "incomplete";
  }

 private:
  std::uint64_t record_;
  Read read_;
};

/// The memory of a process that the debugger reads by these callbacks, which must stay. Throws QueueError if the
/// process has other sizes or another order of bytes than this library.
DebuggerMemory memory_of(mqs::Process* process, const mqs::ProcessCallbacks& callbacks,
                         const mqs::ImageCallbacks& image_callbacks);

}  // namespace bowline::launcher
