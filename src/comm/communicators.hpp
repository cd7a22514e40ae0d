// SPDX-License-Identifier: BSD-3-Clause
// Communicators: all communicators of this process, and the making of new ones. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "comm/communicator.hpp"
#include "comm/index_space.hpp"
#include "comm/process_table.hpp"
#include "proto/lanes.hpp"

namespace bowline::comm {

/// The facts about placement that communicators need. The maker of a Whereabouts keeps all objects to which it refers.
struct Whereabouts {
  std::span<const int> here;               ///< the processes of this job on this node, ascending
  std::function<std::vector<int>()> near;  ///< returns those of all connected jobs, ascending
  int ranks = 1;                           ///< number of ranks of this job
  bool oversubscribed = false;             ///< whether this node has more ranks than cores
  const coll::Machine* machine = nullptr;  ///< the machine of this job; nullptr: not known

  /// Sets the placement of a team. `whole`: the team is the team of an intracommunicator, not a part of another
  /// communicator. A team with processes of other jobs gets no machine, because the machine does not know them.
  void tell(coll::Team& team, bool whole) const;
};

class Communicators {
 public:
  /// `process` is this process's world rank; `limit`: the largest number of communicators at once.
  Communicators(proto::Lanes& lanes, int process, const Whereabouts& whereabouts);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  /// Destroys the communicators that the user has not freed, too.
  ~Communicators();

  int process() const noexcept { return process_; }
  IndexSpace& indices() noexcept { return indices_; }
  unsigned lane_count() const noexcept { return static_cast<unsigned>(lanes_.count()); }

  /// All members of the team agree on a context id. The caller holds the lock of the team's lane.
  ContextId agree(coll::Team& team);
  /// The members of a group agree without a common communicator. `key` distinguishes this agreement from simultaneous
  /// other agreements.
  ContextId agree(const Group& members, std::uint64_t key);
  /// Broadcasts the data of member `root` to all members of a group, which need no common communicator.
  void spread(const Group& members, int root, std::uint64_t key, std::span<std::byte> data);
  /// The class of indices that an agreement tries first.
  static std::uint32_t start_of(std::uint32_t context, std::int32_t tag) noexcept {
    return proto::index_of(context) * 37 + static_cast<std::uint32_t>(tag);
  }

  /// Makes the communicator with the agreed context id. This process is a member of its group.
  Communicator& make(ContextId id, Group group);
  Communicator& make(ContextId id, Group group, Bridge bridge);
  /// Gives the index back. For a process that took part in an agreement and is not a member of the new communicator.
  void decline(ContextId id) noexcept { indices_.give_back(id.index); }
  /// Invalidates the handle. The communicator and its index stay in use until this process has no pending operation on
  /// it. The other members are not notified, because a new communicator gets only an index that is free at all of its
  /// members, and context ids have a generation.
  void free(Communicator& comm);
  /// Reverts make() at this process only.
  void unmake(Communicator& comm) noexcept;

  /// Whether one of these processes is in a communicator, besides `but`, that the program or a window or file has not
  /// freed.
  bool is_in_another(std::span<const int> processes, const Communicator& but);

  /// The communicator with this index; nullptr if there is none.
  Communicator* find(std::uint32_t index) noexcept;

 private:
  template <class>
  friend struct bowline::LayoutOf;
  void review(proto::Engine& engine);

  template <class... Bridges>
  Communicator& add(ContextId id, Group group, Bridges... bridge);
  coll::Team meeting(const Group& members) const;
  void destroy(Communicator& comm) noexcept;

  proto::Lanes& lanes_;
  const int process_;
  const Whereabouts whereabouts_;
  IndexSpace indices_;
  std::mutex mutex_;
  Pool<Communicator> pool_;             ///< keeps the memory, so that a stale handle is detected
  std::vector<Communicator*> all_;      ///< by index
  std::vector<Communicator*> retired_;  ///< freed by the user, with pending operations
};

/// Whether all members of a group belong to this process's job.
bool are_of_this_job(const Group& group, const ProcessTable& processes);

/// A key for agreements, from numbers and texts that all members know.
class KeyHash {
 public:
  KeyHash& add(std::uint64_t value) noexcept;
  KeyHash& add(std::string_view text) noexcept;
  /// All members get the same value, in whichever job they are.
  KeyHash& add(const Group& group, const ProcessTable& processes);
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace bowline::comm
