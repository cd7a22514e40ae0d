// SPDX-License-Identifier: BSD-3-Clause
// Communicator: a group of processes with contexts of its own, so that its messages meet no others; or two groups,
// whose members send to those of the other (an intercommunicator).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/attributes.hpp"
#include "base/info.hpp"
#include "coll/team.hpp"
#include "comm/agreement.hpp"
#include "comm/errhandler.hpp"
#include "comm/group.hpp"
#include "comm/process_topology.hpp"
#include "proto/bsend_buffer.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"

namespace bowline::comm {

/// The other side of an intercommunicator.
struct Bridge {
  Group remote;
  bool local_first;  ///< whether this side's members come first where both sides are counted through
};

class Communicator {
 public:
  /// `name` is the same in all members and names no other communicator of theirs; `engine` is the lane that serves it;
  /// `process` is this process's world rank, a member of `group`.
  Communicator(std::string label, Name name, proto::Engine& engine, Group group, int process, bool crowded);
  Communicator(std::string label, Name name, proto::Engine& engine, Group group, int process, bool crowded,
               Bridge bridge);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { mark_ = 0; }

  /// Whether the memory behind a handle holds a communicator that has not been freed.
  bool alive() const noexcept { return mark_ == mark_of_life; }
  /// The user has freed it: its operations go on, its handle is none any more.
  void retire() noexcept { mark_ = 0; }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return group_.size(); }
  const std::string& name() const noexcept { return label_; }
  void set_name(std::string label) { label_ = std::move(label); }
  /// The context of point-to-point messages.
  std::uint32_t context() const noexcept { return context_; }
  /// The context of partitioned messages.
  std::uint32_t partitioned_context() const noexcept {
    return proto::with_purpose(context_, proto::Purpose::partitioned);
  }
  const Group& group() const noexcept { return group_; }
  std::uint32_t index() const noexcept { return proto::index_of(context_); }
  proto::Engine& engine() const noexcept { return team_.engine; }

  // Those that can be sent to and received from: the members, or the remote group.
  int world_rank(int rank) const noexcept { return peers_.world(rank); }
  int peers() const noexcept { return bridge_ ? bridge_->remote.size() : group_.size(); }

  bool inter() const noexcept { return bridge_.has_value(); }
  const std::optional<Bridge>& bridge() const noexcept { return bridge_; }
  /// All processes that share the communicator: of an intercommunicator both groups, one after the other, in the same
  /// order on both sides.
  coll::Team& team() noexcept { return team_; }
  const coll::Team& team() const noexcept { return team_; }
  /// This side of an intercommunicator.
  coll::Team& local_team() noexcept { return local_team_ ? *local_team_ : team_; }

  std::shared_ptr<ErrorHandler> error_handler() const { return error_handler_.get(); }
  void set_error_handler(ErrorHandler& handler) { error_handler_.set(handler); }
  /// The same for the program, which may have done so before.
  void choose_error_handler(ErrorHandler& handler) {
    set_error_handler(handler);
    error_handler_chosen_.store(true, std::memory_order_relaxed);
  }
  /// Whether the program has chosen it, and not only the library.
  bool error_handler_chosen() const noexcept { return error_handler_chosen_.load(std::memory_order_relaxed); }

  Attributes& attributes() noexcept { return attributes_; }
  /// What the user has said about its use.
  Info& hints() noexcept { return hints_; }
  /// Which of its members are neighbours; nullptr if nothing was said.
  const Topology* topology() const noexcept { return topology_.get(); }
  const std::shared_ptr<const Topology>& shared_topology() const noexcept { return topology_; }
  void set_topology(std::shared_ptr<const Topology> topology) noexcept { topology_ = std::move(topology); }

  /// Where MPI_Bsend on this communicator copies to, if the user gave it a buffer of its own.
  proto::BsendBuffer& bsend_buffer() noexcept { return bsend_buffer_; }

 private:
  static constexpr std::uint32_t mark_of_life = 0xc0331a7e;

  Group group_;
  std::optional<Bridge> bridge_;
  Group everyone_;  ///< of an intercommunicator
  int rank_;
  coll::Team team_;
  std::optional<coll::Team> local_team_;
  coll::RankMap peers_;
  std::uint32_t context_;
  volatile std::uint32_t mark_ = mark_of_life;
  AttachedHandler error_handler_{ErrorHandler::are_fatal()};
  std::atomic<bool> error_handler_chosen_ = false;
  Attributes attributes_;
  Info hints_;
  std::shared_ptr<const Topology> topology_;
  std::string label_;
  proto::BsendBuffer bsend_buffer_;
};

}  // namespace bowline::comm
