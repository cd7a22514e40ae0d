// SPDX-License-Identifier: BSD-3-Clause
// MadeMemory: the memory of a rank that does not exist, in which everything lies elsewhere than in the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

class MadeMemory final : public ProcessMemory {
 public:
  static constexpr std::uint64_t begin = 0x40000;

  explicit MadeMemory(std::size_t bytes = 0x4000) : ProcessMemory("the made rank"), bytes_(bytes) {}

  bool read(std::uint64_t address, std::span<std::byte> into) const noexcept override {
    ++reads;
    if (before_read) before_read(address);
    if (address < begin || address - begin > bytes_.size() || into.size() > bytes_.size() - (address - begin))
      return false;
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + (address - begin), into.size());
    return true;
  }
  std::vector<MemoryRange> writable_of_files() const override { return {{begin, begin + bytes_.size()}}; }
  bool changes() const noexcept override { return live; }
  std::string advice() const override { return "this is advice"; }

  template <class T>
  void put(std::uint64_t address, const T& value) {
    std::memcpy(&bytes_.at(address - begin + sizeof value - 1) - (sizeof value - 1), &value, sizeof value);
  }
  void put(std::uint64_t object, QueueRecord::Field field, std::uint64_t value) {
    std::memcpy(&bytes_.at(object + field.offset - begin), &value, field.bytes);
  }
  void put_address(std::uint64_t address, std::uint64_t value) { put(address, value); }
  void put_vector(std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
    put(address, first);
    put(address + sizeof first, first + bytes);
  }
  std::span<std::byte> all() noexcept { return bytes_; }

  bool live = false;
  mutable std::size_t reads = 0;
  std::function<void(std::uint64_t address)> before_read;

 private:
  std::vector<std::byte> bytes_;
};

/// Where the objects of the made rank are.
struct MadeRank {
  static constexpr std::uint64_t record = MadeMemory::begin + 0x310, lanes = MadeMemory::begin + 0x800,
                                 engine = MadeMemory::begin + 0xa00, queue = MadeMemory::begin + 0xc00,
                                 receive = MadeMemory::begin + 0xd00, second_receive = MadeMemory::begin + 0xe00,
                                 message = MadeMemory::begin + 0xf00, send = MadeMemory::begin + 0x1000,
                                 idle_send = MadeMemory::begin + 0x1100, filled = MadeMemory::begin + 0x1200,
                                 peer = MadeMemory::begin + 0x1300, type = MadeMemory::begin + 0x1400,
                                 world = MadeMemory::begin + 0x1500, own = MadeMemory::begin + 0x1600,
                                 communicators = MadeMemory::begin + 0x1700, split = MadeMemory::begin + 0x1800,
                                 bridge = MadeMemory::begin + 0x1900, words = MadeMemory::begin + 0x1a00,
                                 others = words + 0x180;
  static constexpr std::uint32_t split_context = 64, bridge_context = 128;

  /// Writes rank 2 of 4 into the memory: two posted receives, an announced message, a send, a receive whose data
  /// arrive, and besides the predefined communicators one of processes 3, 0 and 2, and one between 2 and 0 and 1.
  static void fill(MadeMemory& memory);
};

}  // namespace bowline::launcher
