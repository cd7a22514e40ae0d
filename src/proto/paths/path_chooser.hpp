// SPDX-License-Identifier: BSD-3-Clause
// PathChooser: how the announced messages that this engine receives from processes of its node travel. The receiver
// chooses, because it answers the announcement, and keeps the costs.
//
// There is one tuner (base/tuner.hpp) for each kind of message: for each nearness of the sender, each size class (the
// powers of two), and each rhythm. In the rhythm `alone` the sender waits for this message only; the cost is its time.
// In the rhythm `in_row` the sender has announced other messages before that have not arrived; the cost is the time by
// which the message arrives later than the one before it. In the rhythm `exchange` this process has announced messages
// to the sender, too, so the work that a path leaves to the sender is as dear as this process's own: the cost is the
// work of both, not the time. `crowded`: several other processes read the sender's memory at this moment, for which the
// kernel makes them wait for each other.
//
// The clock is read for tries, and for one message of sixteen otherwise. Short messages are never timed. Nothing is
// measured before the first long message from the node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/nearness.hpp"
#include "proto/paths/path.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Peer;
class ReceiveRequest;

enum class Rhythm : std::uint8_t { alone, in_row, crowded, exchange };
inline constexpr std::size_t rhythm_count = 4;

/// The messages from one peer that are under way, as far as their costs need it.
struct PeerPaths {
  struct Timed {
    const ReceiveRequest* receive;
    Tuner* tuner;
    std::uint64_t begin;  ///< when the message could begin: when its receive was there, or the message before it had
                          ///< arrived; in an exchange, the beginning of the work
    std::size_t bytes;
    std::uint32_t before;  ///< messages that have to arrive before this message
    Path path;
    bool spoiled;  ///< whether the cost says nothing about other messages: this is the first message, which pays for
                   ///< pages and mappings, or the kernel has copied another message meanwhile
    bool is_part;  ///< whether the rest of the message takes another path
    Rhythm rhythm;
    std::uint64_t work = 0;  ///< the time in which this process has copied pieces, in an exchange
  };
  /// A message of which a first part takes another path than the rest.
  struct Rest {
    const ReceiveRequest* receive = nullptr;  ///< nullptr: there is none
    transport::Header header{};               ///< of the announcement
    ReadyToSend offer{};
    std::size_t bytes = 0;  ///< of the whole message
    Path path{};
  };

  /// Throws std::bad_alloc.
  explicit PeerPaths(transport::Endpoint& endpoint);

  Nearness nearness;
  PathSet possible;
  PathSet warm;  ///< paths that have carried a message
  std::array<std::uint8_t, path_count> refusals{};
  std::uint32_t under_way = 0;
  Rest rest;
  static constexpr std::size_t most_timed = 8;
  std::vector<Timed> timed;
};

class PathChooser {
 public:
  static constexpr std::size_t classes = 10;
  /// The class of 8 to 16 KiB and of anything shorter is 0, that of 4 MiB and more the last.
  static std::size_t class_of(std::size_t bytes) noexcept;
  /// What all tries of the processes of a node may cost together, in nanoseconds: a millisecond, beside the hundredth
  /// of the time of messages (ExplorationBudget). A fifth is kept for tries that turn out dearer than expected.
  static constexpr double price_of_tries = 0.8e6;
  using Clock = std::uint64_t (*)() noexcept;

  /// For tests: another clock, which gives nanoseconds.
  void use_clock(Clock clock) noexcept { clock_ = clock; }
  /// Makes all messages take this path where it is possible, as the tunable long_messages does; nothing: the costs
  /// decide.
  void pin(std::optional<Path> path) noexcept { pinned_ = path; }
  /// Takes an equal share of what all tries on the node may cost, but not less than a few tries.
  void share_budget(std::size_t engines) noexcept;
  double budget_left() const noexcept { return budget_.left(); }

  struct Begin {
    Path path;
    std::size_t bytes;  ///< of the message that take this path
    Path rest;          ///< the path of the rest
    Rhythm rhythm;
  };
  /// The path by which a message of this length from this peer begins now to fill the receive; 0 bytes: a message with
  /// holes. `follows`: whether the sender has said that other messages are before this one. Throws std::bad_alloc.
  Begin begin(Peer& peer, const ReceiveRequest& receive, std::size_t bytes, bool follows);
  /// Measures the copy of a piece of a message, as long as the object lives.
  class Section {
   public:
    Section(const PathChooser& chooser, Peer& peer, const ReceiveRequest& receive) noexcept;
    ~Section() {
      if (timed_ != nullptr) timed_->work += clock_() - begin_;
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;

   private:
    Clock clock_;
    PeerPaths::Timed* timed_ = nullptr;  ///< nullptr: the message's work is not measured
    std::uint64_t begin_ = 0;
  };
  /// Whether the message that fills the receive has a rest.
  static bool has_rest(const Peer& peer, const ReceiveRequest& receive) noexcept;
  /// This process has copied its half of the message, or of the first part; the time of the rest does not count.
  void half_ended(Peer& peer, const ReceiveRequest& receive) noexcept;
  /// The first part has arrived. Returns the rest, which is not kept any more.
  PeerPaths::Rest part_ended(Peer& peer, const ReceiveRequest& receive) noexcept;
  /// The path is refused, and the message goes in short pieces. After a few refusals the peer's messages do not take
  /// this path any more.
  void refused(Peer& peer, const ReceiveRequest& receive, Path path) noexcept;
  /// The message for which begin() was called has arrived or failed. Does nothing for other messages.
  void ended(Peer& peer, const ReceiveRequest& receive) noexcept;

  /// The tuner for messages of this kind, by Path; its costs are nanoseconds per byte. nullptr if there were none.
  const Tuner* find(Nearness nearness, Rhythm rhythm, std::size_t size_class) const noexcept;

 private:
  static Rhythm rhythm_of(const Peer& peer, bool follows) noexcept;
  Begin choose(PeerPaths& paths, const ReceiveRequest& receive, std::size_t bytes, Rhythm rhythm);
  void end_timed(PeerPaths& paths, const ReceiveRequest& receive, bool failed) noexcept;

  static std::uint64_t steady_clock() noexcept;

  Clock clock_ = &steady_clock;
  std::optional<Path> pinned_ = pinned_path();
  ExplorationBudget budget_{price_of_tries};
  std::array<std::vector<Tuner>, nearness_count> tables_;  ///< by rhythm, then by size class
};

}  // namespace bowline::proto
