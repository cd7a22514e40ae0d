// SPDX-License-Identifier: BSD-3-Clause
// A model of transfers for the algorithms of coll: all members of a collective in one process, their transfers ended
// one after the other in a seeded random order; with every third seed one member lags behind all others. They share
// memory with slots too, small ones, so that few data take many rounds; with every other seed they may reach each
// other's buffers. Members of a node may share such memory too.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// The sizes that every algorithm is run with: all small ones, and a power of two that is not. More members do little
/// that a sanitizer, which makes the tests of them long, has not seen with fewer.
inline std::vector<int> team_sizes() {
#if defined(__SANITIZE_ADDRESS__)
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16};
#else
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 32};
#endif
}

class Model {
 public:
  /// Members of a model without slots share no memory, and cost less to make.
  Model(int size, std::uint32_t seed, bool with_slots = true);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// What the channels know of the hardware, which is kept by the caller.
  void set_hierarchy(const Hierarchy& hierarchy) { hierarchy_ = &hierarchy; }

  /// From now on those members whose node has the same number share memory with slots, as composed algorithms use it;
  /// `oversubscribed` is what they are told of their cores. A lone member has none.
  void share_on_nodes(const std::vector<int>& nodes, bool oversubscribed);

  Channel& channel(int rank);

  /// Makes the task of every member, starts them in random order, and ends transfers until all have finished. Reports a
  /// test failure if they stop before, or if a transfer was never awaited.
  void run(const std::function<Task(Channel&)>& make_task);
  /// The same in two steps: `late` starts only when nothing moves any more without it. Returns which had finished by
  /// then.
  std::vector<bool> run_with_latecomer(const std::function<Task(Channel&)>& make_task, int late);

  /// How many transfers each member has sent.
  const std::vector<int>& sends() const { return sends_; }
  /// How many transfers have gone between members who share a node's memory.
  int sends_within_nodes() const { return sends_within_nodes_; }
  /// How often members have combined data, and how often while transfers of theirs were under way.
  struct Combinations {
    int all = 0;
    int overlapped = 0;
  };
  const Combinations& combinations() const { return combinations_; }
  /// How many each has received.
  const std::vector<int>& receives() const { return receives_; }

 private:
  class MemberChannel;
  struct Transfer;
  using Route = std::pair<int, int>;  ///< from, to

  /// Memory for the slots of `size` members, all zero, of which only what is used costs anything.
  class Shared {
   public:
    explicit Shared(int size);
    ~Shared();
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    std::span<std::byte> bytes() const { return bytes_; }

   private:
    std::span<std::byte> bytes_;
  };

  /// A coroutine that waits for a flag.
  struct Waiting {
    int member;
    proto::Watch* watch;
  };

  static std::size_t slot_bytes(int size);
  int node_of(int member) const { return nodes_[static_cast<std::size_t>(member)]; }
  void open_slots();
  void start(std::vector<std::unique_ptr<Task>>& tasks, const std::vector<int>& members);
  void settle();
  std::vector<std::size_t> flags_to_see();
  void note_match(const Route& route, std::size_t mine, std::size_t theirs);
  void give_back(Completion& completion);
  void check_finished(const std::vector<std::unique_ptr<Task>>& tasks);

  int size_;
  const Hierarchy* hierarchy_ = nullptr;
  std::mt19937 random_;
  bool readable_;
  int laggard_;  ///< sees flags when nobody else can go on; -1: nobody does
  std::optional<Shared> shared_;
  std::vector<int> nodes_;                ///< by member; empty if no node shares memory
  std::map<int, Shared> shared_on_node_;  ///< by node
  std::vector<Waiting> waiting_;
  std::uint64_t operations_ = 0;
  std::vector<std::unique_ptr<MemberChannel>> channels_;
  std::map<Completion*, std::unique_ptr<Transfer>> living_;
  std::map<Route, std::deque<Transfer*>> sent_;
  std::map<Route, std::deque<Transfer*>> awaited_;
  std::vector<Route> matched_;  ///< once for each send that has its receive
  std::vector<std::unique_ptr<Transfer>> done_at_once_;
  std::vector<int> under_way_;  ///< transfers of each member
  std::vector<int> sends_;
  int sends_within_nodes_ = 0;
  Combinations combinations_;
  std::vector<int> receives_;
};

}  // namespace bowline::coll
