// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/node/segment.hpp: memory that all processes of a model have at the same address.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/atomic.hpp"
#include "node/handover.hpp"

namespace bowline::node {

class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }
  void reserve(std::span<std::byte> /*part*/) const noexcept {}

 private:
  std::span<std::byte> bytes_;
};

struct OpenedSegment;

/// Words of a model are not stored in this memory, so it stays zero. Only the first page of a segment, which the
/// constructor of an inbox writes, is cleared for the next run.
class Segment {
 public:
  static constexpr std::size_t longest = 3 << 20, most = 4;

  static Segment create(const std::string& /*label*/, std::size_t bytes) {
    std::size_t& made = model::Words::here->segments;
    RL_ASSERT(bytes <= longest && made < most);
    Segment segment(made++);
    std::memset(segment.begin(), 0, 4096);
    return segment;
  }

  const Ticket& offer() noexcept {
    ticket_ = {.descriptor = static_cast<std::int32_t>(number_), .secret = 1};
    return ticket_;
  }
  const Ticket& ticket() const noexcept { return ticket_; }
  static OpenedSegment open(const Ticket& ticket, std::size_t bytes);
  static std::optional<Segment> open_in_proc(const Ticket& ticket, std::size_t /*bytes*/) {
    return Segment(static_cast<std::size_t>(ticket.descriptor));
  }
  /// The kernel copies a word in one piece, but in no order with what the program has done.
  static bool look(const Ticket& ticket, std::size_t offset, std::span<std::byte> to) {
    RL_ASSERT(to.size() == sizeof(std::uint32_t));
    const Segment segment(static_cast<std::size_t>(ticket.descriptor));
    auto& word = *reinterpret_cast<std::uint32_t*>(segment.begin() + offset);
    const std::uint32_t value = AtomicRef<std::uint32_t>(word).load(std::memory_order_relaxed);
    std::memcpy(to.data(), &value, sizeof value);
    return true;
  }
  static bool is_closed(const Ticket& /*ticket*/) noexcept { return false; }

  std::size_t bytes() const noexcept { return longest; }
  void reserve(std::size_t /*offset*/, std::size_t /*bytes*/, std::size_t /*besides*/ = 0) noexcept {}
  Mapping map(std::size_t offset, std::size_t bytes, std::size_t /*alignment*/ = 1) const noexcept {
    RL_ASSERT(offset + bytes <= longest);
    return Mapping({begin() + offset, bytes});
  }

 private:
  explicit Segment(std::size_t number) noexcept : number_(number) {}
  std::byte* begin() const noexcept { return memory.data() + number_ * longest; }

  alignas(4096) static inline std::array<std::byte, most * longest> memory{};

  std::size_t number_;
  Ticket ticket_;
};

struct OpenedSegment {
  Segment segment;
  pid_t process;
  Descriptor connection;
};

inline OpenedSegment Segment::open(const Ticket& ticket, std::size_t /*bytes*/) {
  return {Segment(static_cast<std::size_t>(ticket.descriptor)), 0, {}};
}

}  // namespace bowline::node
