// SPDX-License-Identifier: BSD-3-Clause
// WaitSlot: the place where a rank writes what it waits for, and where mpiexec reads it. The wait board is a memory
// file that mpiexec makes and the ranks inherit: a header, followed by one slot for each rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/atomic.hpp"
#include "base/waits/wait_targets.hpp"

namespace bowline {

/// What a process has done when it writes a line. By these numbers a reader finds out that nothing happens any more.
struct WaitActivity {
  std::uint64_t events = 0;  ///< that have happened during the wait and have not ended it, such as arrived messages
  // The messages of the process that may be under way for a time (transport::Device::traffic()), since its start:
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  bool operator==(const WaitActivity&) const = default;
};

/// The slot's version is odd while a process writes to it. A reader that finds the same even version before and after
/// has read one whole line. Reader and writer are different processes; neither waits for the other.
class alignas(64) WaitSlot {
 public:
  static constexpr std::size_t longest = 268;           ///< bytes of a text
  static constexpr std::size_t longest_last_call = 64;  ///< bytes of CallsMade::words

  enum class State : std::uint8_t {
    unused,      ///< no process has written to the slot
    idle,        ///< the slot's process does not wait
    waiting,     ///< the slot's process waits
    unreadable,  ///< a process has ended, or was stopped, while it wrote
  };
  /// What a process writes while it waits.
  struct Wait {
    std::string_view text;         ///< what the process waits for; empty: it does not wait
    std::int64_t since = 0;        ///< when the wait began: nanoseconds of the monotonic clock
    std::uint64_t returns_to = 0;  ///< where the program goes on after the MPI function (MpiCall); 0: not known
    WaitTargets targets{};         ///< who can end the wait
    WaitActivity activity{};
  };
  struct Line {
    State state = State::unused;
    std::string text{};
    std::int64_t since = 0;
    std::uint64_t returns_to = 0;
    WaitTargets targets{};
    WaitActivity activity{};
    std::int32_t process = 0;   ///< the process id of the writer
    std::uint32_t version = 0;  ///< grows with each line, also if the line is the same as the one before
  };

  /// What a signal handler may read of a line.
  struct Glimpse {
    State state = State::unreadable;
    std::int64_t since = 0;
    std::size_t length = 0;
    std::array<char, longest> text{};
    std::string_view words() const noexcept { return {text.data(), length}; }
  };

  /// The collectives that a rank has called on MPI_COMM_WORLD when it ends. Ranks that have called the same ones in the
  /// same order write the same.
  struct CallsMade {
    std::uint64_t digest = 0;  ///< not 0
    std::string words{};       ///< such as "5 collectives, the last one MPI_Bcast with root 1"
  };

  /// Writes a line. Cuts text that is too long. Replaces characters that would end or hide a line by question marks.
  /// Does nothing while another process writes (two programs of one rank).
  void write(const Wait& wait) noexcept;
  /// Writes that the process does not wait.
  void clear() noexcept { write({}); }
  Line read() const;
  /// Like read(), but may be called in a signal handler; `unreadable` if that has interrupted a write.
  Glimpse glimpse() const noexcept;

  /// Writes what the rank has called. Cuts words that are too long.
  void write_calls(std::uint64_t digest, std::string_view call_words) noexcept;
  /// To be called when the writer has ended; nothing if it has not called write_calls().
  std::optional<CallsMade> read_calls() const;

  /// MPI has started in the rank, which needs no other rank for that any more.
  void write_ready() noexcept { ready_.store(1, std::memory_order_release); }
  bool is_ready() const noexcept { return ready_.load(std::memory_order_acquire) != 0; }

  /// How a rank has ended, as its launcher has seen.
  struct End {
    bool lost;   ///< false: properly
    int status;  ///< from waitpid(), if the rank is lost
    bool operator==(const End&) const = default;
  };
  /// For mpiexec --keep-going.
  void write_end(End end) noexcept;
  /// Nothing as long as the launcher has not seen the end. One load, so that ranks may look often.
  std::optional<End> read_end() const noexcept;

 private:
  /// A line as it lies in the words of a slot.
  struct Content {
    std::int64_t since;
    WaitActivity activity;
    std::uint64_t returns_to;
    std::int32_t process;
    std::uint32_t length;  ///< of the text; 0: idle
    WaitTargets targets;
    std::array<char, longest> text;
  };
  /// What a reader has found, and the version of a readable line.
  struct Found {
    State state = State::unreadable;
    std::uint32_t version = 0;
    Content content{};
  };
  Found find() const noexcept;

  static constexpr std::size_t words = sizeof(Content) / sizeof(std::uint64_t);
  static_assert(sizeof(Content) == offsetof(Content, text) + longest, "no bytes without a value");

  // The words are atomic, because reader and writer may access them at the same time. Each word is stored with release
  // and loaded with acquire: a reader that has seen a new word also sees the odd version that was stored before it.
  Atomic<std::uint32_t> version_;  ///< 0: no process has written
  Atomic<std::uint16_t> end_;      ///< 1 + the status of a lost rank, or proper_end; 0: not written
  Atomic<std::uint16_t> ready_;
  std::array<Atomic<std::uint64_t>, words> words_;
  Atomic<std::uint64_t> calls_digest_;  ///< 0: not written
  std::array<Atomic<std::uint64_t>, longest_last_call / sizeof(std::uint64_t)> calls_words_;
};
static_assert(sizeof(WaitSlot) == 512 && Atomic<std::uint64_t>::is_always_lock_free);

/// The beginning of the memory. It is as long as a slot, so slots never lie across two pages.
struct alignas(sizeof(WaitSlot)) WaitBoardHeader {
  std::uint64_t key;  ///< by which ranks recognize the memory
  std::uint32_t slots;
};

/// Tells a rank which slot of which inherited memory file is its own.
struct WaitBoardTicket {
  static constexpr const char* variable = "BOWLINE_WAIT_BOARD";

  int descriptor = -1;
  std::uint32_t slot = 0;
  std::uint64_t key = 0;

  /// "DESCRIPTOR:SLOT:KEY", the key in hexadecimal digits.
  std::string text() const;
  /// Reads a ticket from its text; none if the text has another form.
  static std::optional<WaitBoardTicket> parse(std::string_view text) noexcept;

  static constexpr std::size_t bytes_for(std::uint32_t slots) noexcept { return offset_of(slots); }
  static constexpr std::size_t offset_of(std::uint32_t slot) noexcept {
    return (slot + std::size_t{1}) * sizeof(WaitSlot);
  }
};

/// The name of the memory file with the single slot of a rank whose launcher has made no board:
/// "bowline-rank:3:16:JOB", for rank 3 of 16.
struct RankBoardName {
  static constexpr std::string_view prefix = "bowline-rank";

  int rank = 0;
  int ranks = 0;
  std::string job{};

  /// Reads a name; none if the text has another form.
  static std::optional<RankBoardName> parse(std::string_view text);
};

}  // namespace bowline
