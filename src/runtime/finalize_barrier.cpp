// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/finalize_barrier.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <vector>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "comm/index_space.hpp"
#include "dtype/predefined.hpp"
#include "proto/context.hpp"
#include "runtime/rank_tree.hpp"

namespace bowline::runtime {
namespace {

// No other messages at the meeting tree, which belongs to no communicator, have the purpose `local`.
constexpr std::uint32_t context = proto::make_context(comm::IndexSpace::meeting_place, 0, proto::Purpose::local);

enum Word : int {
  waiting,  ///< to a child, which does not receive the message; sending makes the connection on which the child's end
            ///< is noticed
  go_on,    ///< to the parent: all below have arrived; to a child: all have
};

/// One process's part in the barrier of one group.
class Tree {
 public:
  Tree(proto::Engine& engine, const EndTogether& group, CallsMark mine)
      : engine_(engine), group_(group), tree_(RankTree::around(group.position, group.size)), mine_(mine) {
    for (const int child : tree_.children) tell(child, waiting);
    await(tree_.children);
  }
  ~Tree() {
    for (const Awaited& each : awaited_) end(each);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Goes on as far as that is possible now; returns whether the barrier is over.
  bool over() {
    while (stage_ != Stage::over && all_told()) advance();
    return stage_ == Stage::over;
  }
  /// The process for which the tree waits.
  int awaits() const noexcept { return awaited_.empty() ? -1 : awaited_.front().peer->rank; }
  /// The position of a process with another mark; negative: none.
  int other_calls() const noexcept { return other_calls_; }

 private:
  enum class Stage { below, above, over };
  struct Awaited {
    int position;
    const proto::Peer* peer;
    proto::Request* word;
  };

  static proto::Buffer nothing() noexcept { return {nullptr, 0, &dtype::byte_type()}; }
  int tag(Word word) const noexcept { return static_cast<int>(2 * group_.id) + word; }

  void advance() {
    if (stage_ == Stage::below && tree_.parent >= 0) {
      stage_ = Stage::above;
      tell(tree_.parent, go_on);
      return await({&tree_.parent, 1});
    }
    stage_ = Stage::over;
    for (const int child : tree_.children) tell(child, go_on);
  }

  void tell(int position, Word word) {
    proto::Peer* const peer = present(position);
    if (peer == nullptr) return;
    const transport::Header header{.context = context, .source = group_.position, .tag = tag(word), .mark = mine_};
    engine_.release(engine_.isend(peer->rank, header, nothing()));
  }

  /// Awaits `go_on` from these positions.
  void await(std::span<const int> positions) {
    for (const int position : positions) {
      const proto::Peer* const peer = present(position);
      if (peer == nullptr) continue;
      // The engine does not learn whom the receive waits for: otherwise the receive would fail with the good-bye of
      // that process, which comes before the end of the barrier.
      const proto::Match match{.context = context, .source = position, .tag = tag(go_on)};
      awaited_.push_back({position, peer, &engine_.ireceive(match, nothing())});
    }
  }

  bool all_told() {
    std::erase_if(awaited_, [this](const Awaited& each) {
      const bool told = static_cast<bool>(each.word->done);
      const CallsMark theirs = told ? each.word->status.mark : CallsMark{0};
      if (theirs != 0 && mine_ != 0 && theirs != mine_) other_calls_ = each.position;
      const bool over = told || each.peer->lost();
      if (over) end(each);
      return over;
    });
    return awaited_.empty();
  }

  void end(const Awaited& each) {
    engine_.cancel(*each.word);
    engine_.release(*each.word);
  }

  /// The peer at this position; nullptr if the process is lost or cannot be reached, so that the barrier does not wait
  /// for it.
  proto::Peer* present(int position) {
    const int process = group_.process(position);
    try {
      proto::Peer& peer = engine_.peer(process);
      return peer.lost() ? nullptr : &peer;
    } catch (const std::exception& error) {
      log::info("the end of the job does not wait for {}: {}", process_name(process), error.what());
      return nullptr;
    }
  }

  proto::Engine& engine_;
  const EndTogether& group_;
  const RankTree tree_;
  const CallsMark mine_;
  Stage stage_ = Stage::below;
  std::vector<Awaited> awaited_;
  int other_calls_ = -1;
};

using Trees = std::deque<Tree>;

/// A wait that is abandoned has found a lost process, which the launcher notices, too.
proto::WaitDescription describe(proto::Engine&, const void* what) {
  for (const Tree& tree : *static_cast<const Trees*>(what)) {
    const int awaited = tree.awaits();
    if (awaited >= 0) return {fmt::format("for {}", process_name(awaited)), WaitTargets::one(awaited)};
  }
  return {"for the other ranks"};
}

}  // namespace

int finalize_barrier(proto::Engine& engine, std::span<const EndTogether> groups, CallsMark mine,
                     const std::function<bool()>& abandons) {
  const LockGuard hold(engine.lock());
  Trees trees;
  for (const EndTogether& group : groups) trees.emplace_back(engine, group, group.is_job() ? mine : CallsMark{0});
  const auto all_over = [&] {
    bool over = true;
    for (Tree& tree : trees) over = tree.over() && over;
    return over;
  };
  const proto::Awaiting awaiting{&describe, &trees};
  engine.wait_until([&] { return all_over() || abandons(); }, awaiting);
  if (!abandons()) engine.drain([&] { return engine.loop().flushed(); });
  int other_calls = -1;
  for (const Tree& tree : trees) other_calls = std::max(other_calls, tree.other_calls());
  return other_calls;
}

}  // namespace bowline::runtime
