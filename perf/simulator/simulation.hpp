// SPDX-License-Identifier: BSD-3-Clause
// Simulation: the members of a collective operation run its real coroutines on a channel whose transfers take simulated
// time and move no data.
//
// Every member has its own clock. What a member does, and what it receives from another member, does not depend on any
// third member, because receives name their senders. So members run ahead of each other as far as the messages that
// they wait for have been sent. Only resources that several members use, that is links and shared cores, are served in
// the order of time, by events. A simulation is deterministic.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/pool.hpp"
#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "simulator/event_queue.hpp"
#include "simulator/network.hpp"
#include "simulator/pair_table.hpp"

namespace bowline::sim {

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// What one operation took.
struct Report {
  Time end = 0;                                 ///< when the last member had finished; of a row its share
  std::array<Traffic, coll::levels> traffic{};  ///< between members whose nearest common hardware is of this level
  std::size_t scratch_of_one = 0;               ///< most memory that one member took for itself, in bytes
  std::size_t scratch_of_all = 0;               ///< most that all had at once
  FramePool::Taken frames;                      ///< most that there were at once
  std::uint64_t events = 0;
};

class Simulation {
 public:
  /// `hierarchy` is what the members' channels know of the machine; may be nullptr.
  Simulation(const Cluster& cluster, const coll::Hierarchy* hierarchy);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// Called now and then: how many members have finished, at which simulated time.
  using Progress = std::function<void(int finished, Time now)>;
  /// What a member does in the call with this number in a row of calls.
  using MakeTask = std::function<Task(coll::Channel&, int call)>;
  /// Runs the task of every member from time 0 to its end, once; `calls`: a row of so many, as in a loop of a program,
  /// in which nobody waits for the others between two calls, and each call has its share of the time. Throws
  /// std::runtime_error if the members wait for each other, or if transfers do not fit together.
  Report run(const MakeTask& make_task, int calls = 1, const Progress& progress = {});
  const Network& network() const noexcept { return network_; }

 private:
  class Member;
  struct Side;
  class Turns;

  Completion* begin_send(Member& member, int to, std::size_t bytes);
  Completion* begin_receive(Member& member, int from, std::size_t bytes);
  void end(Member& member, Side& side);

  void agree(Side& send, Side& receive);
  void depart(Side& send, Time time);
  void transfer(Side& send, Time time);
  void copy_through_memory(Side& send, Side& receive, Time time);
  void arrive(Side& send, Side& receive);
  void complete(Side& side, Time time);
  void wake(Side& side);

  static Task row(Member& member, const MakeTask& make_task, int calls);
  void settle(const Progress& progress);
  void begin(int rank);
  void go_on(Side& side);
  template <class Go>
  void let_run(int rank, Go go);
  const Costs& costs(const Side& side) const noexcept;
  void check_finished() const;

  const Cluster& cluster_;
  const coll::Hierarchy* hierarchy_;
  Network network_;
  std::vector<Member> members_;
  std::vector<std::optional<Task>> tasks_;
  Pool<Side> sides_;
  PairTable<Side> unmatched_;
  std::unique_ptr<Turns> turns_;  ///< of ranks that share cores; nullptr if every rank has one of its own
  EventQueue<Side*> events_;
  std::vector<Side*> ready_;  ///< ended transfers that somebody waits for
  Report report_;
  std::size_t scratch_ = 0;
  std::size_t addresses_ = 0;
  Time now_ = 0;
  int finished_ = 0;
};

}  // namespace bowline::sim
