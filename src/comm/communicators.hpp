// SPDX-License-Identifier: BSD-3-Clause
// Communicators: all that this process has, and how new ones come to be. Safe for several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/pool.hpp"
#include "comm/communicator.hpp"
#include "comm/index_space.hpp"
#include "proto/lanes.hpp"

namespace bowline::comm {

/// What communicators have to know of where processes run. Whoever made it keeps what it refers to.
struct Whereabouts {
  std::span<const int> here;               ///< the world ranks on this node, ascending
  bool crowded = false;                    ///< whether they are more than its cores
  const coll::Machine* machine = nullptr;  ///< the whole job; nullptr: not known

  /// Tells a team of an intracommunicator, or of a part of another one: `whole`.
  void tell(coll::Team& team, bool whole) const;
};

class Communicators {
 public:
  /// `process` is this process's world rank; `limit`: how many may be made at once.
  Communicators(proto::Lanes& lanes, int process, const Whereabouts& whereabouts, std::size_t limit);
  Communicators(const Communicators&) = delete;
  Communicators& operator=(const Communicators&) = delete;
  /// With those that the user has not freed.
  ~Communicators();

  int process() const noexcept { return process_; }
  IndexSpace& indices() noexcept { return indices_; }
  unsigned lane_count() const noexcept { return static_cast<unsigned>(lanes_.count()); }

  /// All members of the team agree on a name. The caller holds the lock of the team's lane.
  Name agree(coll::Team& team);
  /// The members of a group agree, though they may have no communicator in common but the world. `key` tells what they
  /// agree on from what else they may be agreeing on at the same time.
  Name agree(const Group& members, std::uint64_t key);
  /// The first member's data for all members of a group, in the same way.
  void spread(const Group& members, int root, std::uint64_t key, std::span<std::byte> data);
  /// Says which class of indices an agreement looks at first.
  static std::uint32_t start_of(std::uint32_t context, std::int32_t tag) noexcept {
    return proto::index_of(context) * 37 + static_cast<std::uint32_t>(tag);
  }

  /// Makes the communicator that the members have agreed on. Its group has this process.
  Communicator& make(Name name, Group group);
  Communicator& make(Name name, Group group, Bridge bridge);
  /// This process has taken part in an agreement, but is no member of what it was about.
  void decline(Name name) noexcept { indices_.give_back(name.index); }
  /// The handle is none any more. The communicator itself, and its index, live on until this process has no operation
  /// left on it. Other members are neither told nor waited for: an index is given to a new communicator only where all
  /// of its members have it free, and contexts have a generation.
  void free(Communicator& comm);
  /// Takes back what make() did here alone.
  void unmake(Communicator& comm) noexcept;

  /// nullptr if there is none.
  Communicator* find(std::uint32_t index) noexcept;

 private:
  void review(proto::Engine& engine);

  template <class... Bridges>
  Communicator& add(Name name, Group group, Bridges... bridge);
  coll::Team meeting(const Group& members) const;
  void destroy(Communicator& comm) noexcept;

  proto::Lanes& lanes_;
  const int process_;
  const Whereabouts whereabouts_;
  IndexSpace indices_;
  std::mutex mutex_;
  Pool<Communicator> pool_;             ///< keeps the memory, so that a stale handle is found out
  std::vector<Communicator*> all_;      ///< by index
  std::vector<Communicator*> retired_;  ///< that the user has freed, with operations left
};

/// A key for agreements, from numbers and texts that all members know.
class KeyHash {
 public:
  KeyHash& add(std::uint64_t value) noexcept;
  KeyHash& add(std::string_view text) noexcept;
  KeyHash& add(const Group& group) noexcept;
  std::uint64_t value() const noexcept { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

}  // namespace bowline::comm
