// SPDX-License-Identifier: BSD-3-Clause
// MemoryReader: reads the structures that a QueueRecord describes, and believes nothing that it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnosis/queue_record.hpp"
#include "launcher/queues/process_memory.hpp"

namespace bowline::launcher {

/// What was read makes no sense: the process has changed it meanwhile, or the memory is damaged.
struct Inconsistent {};

/// The bytes of an object at some moment.
class ObjectCopy {
 public:
  explicit ObjectCopy(std::vector<std::byte> bytes) noexcept : bytes_(std::move(bytes)) {}
  bool operator==(const ObjectCopy&) const = default;
  /// A member, extended to 64 bits. Throws Inconsistent if the object has no such member.
  std::uint64_t number(QueueRecord::Field field) const;
  std::uint64_t address(std::uint32_t offset) const { return number({.offset = offset, .bytes = sizeof(void*)}); }
  /// A member that is an int.
  std::int32_t integer(QueueRecord::Field field) const { return static_cast<std::int32_t>(number(field)); }

 private:
  std::vector<std::byte> bytes_;
};

/// All functions throw Inconsistent.
class MemoryReader {
 public:
  /// The memory must outlive the reader.
  explicit MemoryReader(const ProcessMemory& memory) noexcept : memory_(memory) {}

  /// Runs `read` until it finds the memory consistent, a bounded number of times. `what`: whose memory it reads. Throws
  /// QueueError if that does not happen.
  void settle(const std::string& what, const std::function<void()>& read) const;

  /// An object as it was at two looks in a row: it may change while it is copied.
  ObjectCopy object(std::uint64_t address, std::uint32_t bytes) const;
  /// The elements of a vector, whose length must be a multiple of that of an element.
  std::vector<ObjectCopy> elements(std::uint64_t vector, std::uint32_t bytes) const;
  /// The elements of a vector of addresses but for those that are 0.
  std::vector<std::uint64_t> addresses(std::uint64_t vector) const;
  std::vector<std::int32_t> integers(std::uint64_t address, std::size_t count) const;
  std::string text(const ObjectCopy& object, std::uint32_t offset) const;
  /// A number at this address.
  std::uint64_t number(std::uint64_t address, std::uint32_t bytes) const {
    return object(address, bytes).number({.offset = 0, .bytes = bytes});
  }

  /// Calls `use` with each element of a list. `link`: the offset of the links in an element of so many bytes.
  void each(std::uint64_t head, const QueueRecord::ListLayout& layout, std::uint32_t link, std::uint32_t bytes,
            const std::function<void(const ObjectCopy&)>& use) const;

 private:
  std::vector<std::byte> bytes(std::uint64_t address, std::size_t count) const;
  std::vector<std::byte> content_of(std::uint64_t vector, std::size_t element) const;

  const ProcessMemory& memory_;
};

}  // namespace bowline::launcher
