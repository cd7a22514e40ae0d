// SPDX-License-Identifier: BSD-3-Clause
// Turns: ranks that share cores run in turns, like processes that wait by yielding. A rank runs until it waits for
// something that has not arrived. Then the next rank on its core looks for something to do, then the one after it, and
// so on, whether or not anything has arrived for them: each change of process costs the same. So a rank sees what has
// arrived for it only when its turn comes.
//
// A long message within a node is copied in and out in pieces through a buffer of the size `ring`. Each side works in
// its own turns: sides on different cores work at the same time; sides on the same core fill and empty the buffer in
// turns. A short message waits in the same buffer until its receiver looks, so a rank that only sends cannot run ahead
// further than the buffer allows.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "simulator/member.hpp"

namespace bowline::sim {

class Simulation::Turns {
 public:
  explicit Turns(Simulation& simulation);

  /// All ranks may begin.
  void begin();
  /// The rank that has the core looks for something to do.
  void look(Side& turn, Time time);
  /// A rank waits for this transfer, which has ended.
  void make_ready(Side& side);
  /// A short message takes its place in the buffer between two ranks of a node. Returns what the sender has to wait for
  /// if there is none; the message arrives then.
  Completion* find_room(Side& send);
  /// Both sides of a long message within a node have been begun; its receiver can know at `known`.
  void begin_copying(Side& send, Side& receive, Time known);

 private:
  /// A long message under way. The receiver has to accept it first.
  struct Copying {
    Side* send;  ///< whose end its owner may have seen while the receiver goes on
    Side* receive;
    int from;
    int to;
    Level level;
    std::size_t bytes;
    Time known;  ///< from when on the receiver may accept it
    bool accepted = false;
    std::size_t in = 0;   ///< bytes that are in the buffer or through it
    std::size_t out = 0;  ///< that have left it
  };
  /// What a rank has to do for one: copy it in, or out. Whoever sends to itself has both.
  struct Part {
    Copying* message = nullptr;
    bool in = false;
    bool operator==(const Part&) const = default;
  };
  struct Rank {
    bool begun = false;
    Side* ready = nullptr;  ///< what it waited for
    Part copies;            ///< a piece of this
    std::size_t piece = 0;
    std::vector<Part> parts;
    std::vector<std::pair<Side*, Side*>> without_room;  ///< messages to this rank, and what their senders wait for
    std::uint64_t looks = 0;
  };
  struct Core {
    std::vector<int> ranks;  ///< that have not finished
    std::size_t holder = 0;
    bool watching = false;  ///< the holder has nothing to do, and nobody else wants the core
    std::uint64_t turn = 0;
  };
  /// What lies in the buffer from one rank to another since the receiver last looked.
  struct Filled {
    std::uint64_t looks = 0;
    std::size_t bytes = 0;
  };

  Rank& rank(int number) noexcept { return ranks_[static_cast<std::size_t>(number)]; }
  int core_of(int rank) const noexcept { return simulation_.cluster_.core(rank); }
  const Parameters& machine() const noexcept { return simulation_.cluster_.parameters(); }
  void schedule(int core, Time time);
  void poke(int rank, Time time);
  void make_room(int rank, Time time);
  void run(int core, int rank, Time time);
  Time take_piece(int number, Time time);
  bool end_piece(int number, Time time);
  void hand_over(int core, Time time);

  Simulation& simulation_;
  std::size_t ring_;
  std::vector<Rank> ranks_;
  std::vector<Core> cores_;
  Pool<Copying> messages_;
  std::unordered_map<std::uint64_t, Filled> filled_;
  std::size_t looks_ahead_ = 0;  ///< events that are looks
  int ready_ = 0;                ///< ranks that have something to run
  std::size_t pieces_ = 0;       ///< long messages that are being copied
};

}  // namespace bowline::sim
