// SPDX-License-Identifier: BSD-3-Clause
// base/waits/wait_slot: who reads a slot finds a whole line or none.
#include "base/waits/wait_slot.hpp"

#include "explore.hpp"

namespace bowline {
namespace {

/// A line is there; a process writes a shorter or a longer one, and another process reads.
template <bool longer>
struct ReadLines : model::Suite<ReadLines<longer>, 2> {
  static constexpr std::array<std::string_view, 2> lines{longer ? "aaaaaaaa" : "aaaaaaaaaaaaaaaa",
                                                         longer ? "bbbbbbbbbbbbbbbb" : "bbbbbbbb"};

  WaitSlot slot;

  ReadLines() { slot.write({.text = lines[0], .since = 0}); }
  void run(unsigned index) { index == 0 ? slot.write({.text = lines[1], .since = 1}) : read(); }

  void read() {
    std::int64_t latest = 0;
    for (int reads = 0; reads < 2; ++reads) {
      const WaitSlot::Line line = slot.read();
      RL_ASSERT(line.state == WaitSlot::State::waiting && line.since >= latest && line.since <= 1);
      RL_ASSERT(line.text == lines[static_cast<std::size_t>(line.since)]);
      latest = line.since;
    }
  }
};

TEST(WaitSlot, IsReadWhole) {
  model::explore<ReadLines<true>>(3'000);
  model::explore<ReadLines<false>>(3'000);
}

/// Two programs of one rank write to its slot; one of two writes at the same time is dropped.
struct TwoWriters : model::Suite<TwoWriters, 3> {
  static constexpr std::array<std::string_view, 2> lines{"aaaaaaaaaaaaaaaa", "bbbbbbbb"};

  WaitSlot slot;

  void run(unsigned index) { index == 2 ? read() : slot.write({.text = lines[index], .since = index + 1}); }

  void read() {
    const WaitSlot::Line line = slot.read();
    if (line.state == WaitSlot::State::waiting) RL_ASSERT(line.text == lines[static_cast<std::size_t>(line.since - 1)]);
  }
};

TEST(WaitSlot, OfTwoWritersIsReadWhole) {
  model::explore<TwoWriters>(3'000);
}

}  // namespace
}  // namespace bowline
