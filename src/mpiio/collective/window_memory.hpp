// SPDX-License-Identifier: BSD-3-Clause
// WindowMemory: where the processes of a unit put the parts of the file that pass through its aggregators, in memory
// that all of them share. Made by the first collective access that needs it, and replaced when an access needs longer
// windows, or when other processes than before form a unit.
//
// A window is an image of a part of the file, its coverage, and a word for the end of the data in it. Each aggregator
// has two windows for its own domain, so that one is written or read while the other is filled or emptied, and one
// window for windows of aggregators in other units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"
#include "mpiio/collective/access_plan.hpp"
#include "mpiio/collective/coverage.hpp"
#include "mpiio/file/units.hpp"
#include "node/segment.hpp"

namespace bowline::mpiio {

struct FileWindow {
  std::byte* image;
  std::span<std::uint64_t> words;  ///< of the coverage
  /// The place behind the last byte of the image that was read from the file. Written before the processes synchronize.
  Offset* valid_end;

  Coverage coverage() const noexcept { return Coverage(words); }
};

class WindowMemory {
 public:
  WindowMemory() = default;
  WindowMemory(const WindowMemory&) = delete;
  WindowMemory& operator=(const WindowMemory&) = delete;

  /// All members call prepare() in the same order with the same plan. Sets `usable` to whether all of them have the
  /// memory.
  Task prepare(coll::TeamChannel& channel, const Plan& plan, bool& usable);

  static constexpr int of_others = 2;
  /// FileWindow `which` of the i-th aggregator of this unit: 0 and 1 for its domain, or `of_others`.
  FileWindow window(int i, int which) const noexcept;

  /// Messages to and from other units, of a process that stands for its unit. The buffers have memory for the longest
  /// messages, and must not grow.
  std::vector<std::byte>& outgoing() noexcept { return outgoing_; }
  std::vector<std::byte>& incoming() noexcept { return incoming_; }

 private:
  /// The properties for which the memory was made.
  struct Shape {
    std::size_t window = 0;
    int each = 0;
    int windows = 0;  ///< of an aggregator
    Units units{1};   ///< which processes share the memory
    /// Whether the memory serves an access that needs `other`.
    bool holds(const Shape& other) const noexcept;
    std::size_t window_bytes() const noexcept;
    std::size_t bytes() const noexcept;
  };
  static constexpr std::size_t page = 4096;

  void make(const Shape& shape, int unit_size, node::Ticket& ticket);
  void join(const Shape& shape, const node::Ticket& ticket);
  void make_messages(const Shape& shape);

  Shape shape_;  ///< holds nothing until all members of all units have the memory
  std::unique_ptr<std::byte[]> own_;
  std::optional<node::Segment> segment_;
  node::Mapping mapping_;
  std::byte* base_ = nullptr;
  std::vector<std::byte> outgoing_, incoming_;
};

}  // namespace bowline::mpiio
