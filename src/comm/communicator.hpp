// SPDX-License-Identifier: BSD-3-Clause
// Communicator: a group of processes with context ids of its own, so its messages match no others; or two groups whose
// members send to each other (an intercommunicator).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/failure.hpp"
#include "base/info.hpp"
#include "coll/team/team.hpp"
#include "comm/context_id.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"
#include "comm/process_topology.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"
#include "proto/sending/bsend_buffer.hpp"

namespace bowline::comm {

/// The other side of an intercommunicator.
struct Bridge {
  Group remote;
  bool local_first;  ///< whether this side's members come first in the numbering of both sides
};

class Communicator {
 public:
  /// `id` is equal at all members and belongs to no other communicator of theirs; `engine` is the lane that serves
  /// it; `process` is this process's world rank, a member of `group`.
  Communicator(std::string label, ContextId id, proto::Engine& engine, Group group, int process, bool oversubscribed);
  Communicator(std::string label, ContextId id, proto::Engine& engine, Group group, int process, bool oversubscribed,
               Bridge bridge);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { mark_.store(0, std::memory_order_relaxed); }

  /// Whether the memory behind a handle holds a communicator that has not been freed.
  bool alive() const noexcept { return mark_.load(std::memory_order_relaxed) == mark_of_life; }
  /// The user has freed the communicator: its operations continue, its handle is invalid.
  void retire() noexcept { mark_.store(0, std::memory_order_relaxed); }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return group_.size(); }
  /// A copy: another thread may change the name.
  std::string name() const;
  void set_name(std::string label);
  /// The context id of point-to-point messages.
  std::uint32_t context() const noexcept { return context_; }
  /// The context id of partitioned messages.
  std::uint32_t partitioned_context() const noexcept {
    return proto::with_purpose(context_, proto::Purpose::partitioned);
  }
  const Group& group() const noexcept { return group_; }
  std::uint32_t index() const noexcept { return proto::index_of(context_); }
  proto::Engine& engine() const noexcept { return team_.engine; }

  // The process of a possible peer of messages: a member, or a member of the remote group, by its rank.
  int process(int rank) const noexcept { return peers_.process(rank); }
  int peers() const noexcept { return peer_count_; }
  /// Whether messages may go to this rank, or come from it: no rank of an interrupted communicator.
  bool is_peer(int rank) const noexcept {
    return static_cast<unsigned>(rank) < reachable_.load(std::memory_order_relaxed);
  }

  /// Has all later operations fail with this error: those that name a rank at once, receives from any rank and
  /// collectives when they start. Called under the lock of the lane (proto::Interruptions).
  void interrupt(const Failure& why) noexcept;
  /// Throws Error if the communicator is interrupted.
  void refuse_if_interrupted() const {
    if (reachable_.load(std::memory_order_acquire) == 0) team_.refuse_if_interrupted();
  }
  /// How many of the failed members the program has acknowledged, in the order in which this process has found them.
  int acknowledged() const noexcept { return acknowledged_.load(std::memory_order_relaxed); }
  void acknowledge(int failed) noexcept { acknowledged_.store(failed, std::memory_order_relaxed); }

  /// How long a call may wait for operations of this communicator; nothing if there is no limit.
  std::optional<std::chrono::duration<double>> time_limit() const noexcept;
  /// `seconds`: 0 for no limit.
  void set_time_limit(double seconds) noexcept { time_limit_.store(seconds, std::memory_order_relaxed); }

  bool inter() const noexcept { return bridge_.has_value(); }
  /// The members of the team: of an intercommunicator both groups.
  const Group& everyone() const noexcept { return bridge_ ? everyone_ : group_; }
  const std::optional<Bridge>& bridge() const noexcept { return bridge_; }
  /// All processes of the communicator. For an intercommunicator both groups, one after the other, in the same order on
  /// both sides.
  coll::Team& team() noexcept { return team_; }
  const coll::Team& team() const noexcept { return team_; }
  /// This side of an intercommunicator.
  coll::Team& local_team() noexcept { return local_team_ ? *local_team_ : team_; }

  std::shared_ptr<ErrorHandler> error_handler() const { return error_handler_.get(); }
  void set_error_handler(ErrorHandler& handler) { error_handler_.set(handler); }
  /// Sets the error handler on behalf of the program; replaces an earlier choice.
  void choose_error_handler(ErrorHandler& handler) {
    set_error_handler(handler);
    error_handler_chosen_.store(true, std::memory_order_relaxed);
  }
  /// The handle of the file or window whose own communicator this is; nullptr if the program has made the communicator.
  /// Errors of such a communicator are errors of the file or window, and error handlers get that handle.
  void* owner() const noexcept { return owner_; }
  void set_owner(void* handle) noexcept { owner_ = handle; }
  /// Whether the program has chosen the error handler; otherwise the library has.
  bool error_handler_chosen() const noexcept { return error_handler_chosen_.load(std::memory_order_relaxed); }

  Attributes& attributes() noexcept { return attributes_; }
  /// The user's hints about the communicator's use.
  Info& hints() noexcept { return hints_; }
  /// The virtual topology of its members; nullptr if there is none.
  const Topology* topology() const noexcept { return topology_.get(); }
  const std::shared_ptr<const Topology>& shared_topology() const noexcept { return topology_; }
  void set_topology(std::shared_ptr<const Topology> topology) noexcept { topology_ = std::move(topology); }

  /// The buffer of MPI_Bsend on this communicator, if the user has attached one.
  proto::BsendBuffer& bsend_buffer() noexcept { return bsend_buffer_; }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  static constexpr std::uint32_t mark_of_life = 0xc0331a7e;

  Group group_;
  std::optional<Bridge> bridge_;
  Group everyone_;  ///< both groups of an intercommunicator
  int rank_;
  coll::Team team_;
  std::optional<coll::Team> local_team_;
  coll::RankMap peers_;
  int peer_count_;
  std::uint32_t context_;
  Atomic<unsigned> reachable_ = static_cast<unsigned>(peer_count_);
  Atomic<double> time_limit_ = 0.0;  ///< in seconds
  Atomic<int> acknowledged_ = 0;
  Atomic<std::uint32_t> mark_ = mark_of_life;
  AttachedHandler error_handler_{ErrorHandler::are_fatal()};
  Atomic<bool> error_handler_chosen_ = false;
  void* owner_ = nullptr;
  Attributes attributes_;
  Info hints_;
  std::shared_ptr<const Topology> topology_;
  std::string label_;
  proto::BsendBuffer bsend_buffer_;
};

}  // namespace bowline::comm
