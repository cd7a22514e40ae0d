// SPDX-License-Identifier: BSD-3-Clause
// The memory of a process that has left a core file.
#pragma once

#include <sys/types.h>

#include <memory>

#include "launcher/queues/process_memory.hpp"

struct Elf;  // of libelf

namespace bowline::launcher {

class CoreFile final : public ProcessMemory {
 public:
  /// Throws QueueError if the file cannot be read or is no core file.
  explicit CoreFile(const std::string& path);
  ~CoreFile() override;

  bool read(std::uint64_t address, std::span<std::byte> into) const noexcept override;
  std::vector<MemoryRange> writable_of_files() const override;
  bool changes() const noexcept override { return false; }
  std::string advice() const override;

  /// The id of the process; 0 if the file does not tell it.
  pid_t process() const noexcept { return process_; }

 private:
  /// Memory of the process, which begins so far from the beginning of the file and lies within it.
  struct Segment {
    MemoryRange range;
    std::uint64_t offset;
    bool writable;
  };

  void read_segments(const std::string& path);
  void read_notes(std::uint64_t offset, std::uint64_t bytes);
  void note_files(std::span<const std::byte> table);

  struct EndElf {
    void operator()(Elf* elf) const noexcept;
  };
  int file_;
  std::unique_ptr<Elf, EndElf> elf_;
  std::span<const std::byte> content_;
  std::uint64_t whole_ = 0;         ///< bytes that the file should have
  std::vector<Segment> segments_;   ///< by address
  std::vector<MemoryRange> files_;  ///< the memory of files
  pid_t process_ = 0;
};

}  // namespace bowline::launcher
