// SPDX-License-Identifier: BSD-3-Clause
// Window: memory of the members of a communicator that the members access without the owner's doing (MPI-5.0, chapter
// 12).
//
// A window has a communicator of its own, whose context its messages carry, and whose lane serves it. All functions are
// called under the lock of that lane, except functions whose comments say otherwise.
//
// Files: creation.cpp makes windows. operations.cpp starts operations. epochs.cpp checks which are allowed. fences.cpp,
// exposure.cpp, locks.cpp and flushes.cpp synchronize. The paths to targets have files of their own
// (paths/target_path.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/info.hpp"
#include "comm/communicator.hpp"
#include "rma/accumulator.hpp"
#include "rma/messages/messages_path.hpp"
#include "rma/node_memory.hpp"
#include "rma/paths/adapter_path.hpp"
#include "rma/paths/mapped_path.hpp"
#include "rma/paths/path_of_target.hpp"
#include "rma/paths/single_copy_path.hpp"
#include "rma/synchronization/complete_stores.hpp"
#include "rma/synchronization/epochs.hpp"
#include "rma/target.hpp"
#include "rma/window_hints.hpp"

namespace bowline::comm {
class Communicators;
}

namespace bowline::rma {

class WindowService;
class Origins;

/// MPI_WIN_FLAVOR_*.
enum class Flavor : std::uint8_t { create, allocate, dynamic, shared };

/// What a member asks for.
struct WindowParameters {
  Flavor flavor = Flavor::create;
  void* base = nullptr;    ///< of MPI_Win_create
  std::uint64_t size = 0;  ///< bytes
  std::int64_t unit = 1;
  Hints hints;
};

/// The facts about this process that windows need.
struct Surroundings {
  std::span<const int> here;  ///< the processes with which this process may share memory, ascending
  transport::RemoteAccess network_atomics =
      transport::RemoteAccess::none;    ///< atomic operations of the network to other processes
  unsigned network_atomic_lengths = 0;  ///< the lengths in bytes of the numbers that these operations update, added up
};

class Window {
 public:
  /// Makes a window over the members of `parent`, who all call it. Throws Error; if one member fails, all members fail.
  /// The caller holds no lane's lock.
  static Window& make(comm::Communicator& parent, comm::Communicators& all, const Surroundings& around,
                      const WindowParameters& parameters);
  /// Returns when all members have called it: no operation of others is under way then, if all epochs have ended. The
  /// caller holds no lane's lock. Throws Error.
  void meet();
  /// Ends the window, after check_free() has succeeded and all members have met. The caller holds no lane's lock.
  static void free(Window& window, comm::Communicators& all);

  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Throws Error (rma_sync) if an epoch is open, so that the window cannot be freed.
  void check_free() const { epochs_.check_free(); }

  /// Whether the user has a handle. May be called for memory that was a window before.
  bool alive() const noexcept { return mark_.load(std::memory_order_relaxed) == mark_of_life; }

  // ---- what it is. Any thread may call these.

  comm::Communicator& communicator() const noexcept { return comm_; }
  proto::Engine& engine() const noexcept { return engine_; }
  std::uint32_t context() const noexcept { return comm_.context(); }
  int rank() const noexcept { return comm_.rank(); }
  int size() const noexcept { return comm_.size(); }
  Flavor flavor() const noexcept { return flavor_; }
  const Hints& hints() const noexcept { return hints_; }
  Hints& hints() noexcept { return hints_; }
  /// For messages: "the window NAME".
  std::string in_words() const;
  std::string name() const { return comm_.name(); }
  void set_name(std::string name) { comm_.set_name(std::move(name)); }
  Attributes& attributes() noexcept { return attributes_; }

  // The values of the window's attributes, at addresses that stay.
  void* base() const noexcept { return base_; }
  const std::int64_t* bytes() const noexcept { return &bytes_; }
  const int* unit() const noexcept { return &shown_unit_; }
  std::int64_t displacement_unit() const noexcept { return unit_; }
  const int* shown_flavor() const noexcept { return &shown_flavor_; }
  const int* shown_model() const noexcept { return &shown_model_; }
  void show(int flavor, int model) noexcept { shown_flavor_ = flavor, shown_model_ = model; }

  /// What MPI_Win_shared_query tells about the memory of the member with this rank. Memory that is not mapped here has
  /// the size 0 and no address. `no_member`: nothing.
  struct Shared {
    std::byte* base = nullptr;
    std::int64_t size = 0;
    std::int64_t unit = 1;
  };
  Shared shared_memory(int rank) const noexcept;
  /// The lowest rank whose memory has a size above 0, wherever it is; `no_member` if there is none.
  int lowest_with_memory() const noexcept { return with_memory_; }
  static constexpr int no_member = std::numeric_limits<int>::max();

  // ---- operations. The buffers belong to the operation until it is completed. Throw Error if they are not allowed.

  void put(int rank, const proto::Buffer& origin, const TargetData& place, RmaRequest* request = nullptr);
  void get(int rank, const proto::Buffer& result, const TargetData& place, RmaRequest* request = nullptr);
  /// `what.element` need not be set.
  void accumulate(int rank, Accumulate&& what, RmaRequest* request = nullptr);
  void swap(int rank, const Swap& what);

  // ---- synchronization

  struct FenceAssertions {
    bool nothing_before = false;  ///< MPI_MODE_NOPRECEDE
    bool nothing_after = false;   ///< MPI_MODE_NOSUCCEED
  };
  void fence(FenceAssertions assertions);
  void post(const comm::Group& origins);
  /// `nocheck`: all targets have called post().
  void start(const comm::Group& targets, bool nocheck);
  void complete();
  void wait();
  /// Returns whether the exposure epoch has ended.
  bool test();
  void lock(LockKind kind, int rank, bool nocheck);
  void unlock(int rank);
  void lock_all(bool nocheck);
  void unlock_all();
  void flush(int rank);
  void flush_all();
  void flush_local(int rank);
  void flush_local_all();
  void sync() noexcept { complete_stores(); }

  // ---- dynamic windows

  void attach(void* base, std::uint64_t size);
  void detach(const void* base);
  /// Throws Error (rma_range) unless an attached region holds the place. `rank`: of this process.
  void check_attached(const TargetData& place, int rank) const;

  // ---- for paths and the service

  NodeMemory& node() const noexcept { return *node_; }
  /// How accumulates to the memory of the member with these control lines exclude each other.
  Exclusion exclusion(ControlLines* control) const noexcept;
  /// The address of a place in this process's memory. Throws Error (rma_range).
  std::byte* locate(const TargetData& place) const;
  Target& target(int rank) {
    if (Target* const known = targets_.find(rank)) [[likely]]
      return *known;
    return first_contact(rank);
  }
  TargetTable& targets() noexcept { return targets_; }
  Origins& origins() const noexcept { return *origins_; }
  WindowService& service() const noexcept { return service_; }
  MessagesPath& messages() noexcept { return messages_; }
  /// The kernel refuses system calls on the target's memory: messages serve it from now on.
  void leave_single_copy(Target& target) noexcept;
  /// Whether accumulates to integers of that many bytes (4 or 8) are atomic operations of the network, as far as the
  /// network has these operations.
  bool network_accumulates(std::size_t bytes) const noexcept { return (network_accumulates_ & bytes) != 0; }
  /// Gets the description of the target's memory and opens it; waits for the target if necessary.
  void open_remote(Target& target);
  /// A description has arrived.
  void described(Target& target, const Description& description, std::span<const std::byte> key);
  /// Describes this process's memory to a member: registers it with the network that reaches that member.
  struct Described {
    Description facts;
    std::vector<std::byte> key;
  };
  Described describe_to(int process);
  /// Waits until the network has completed all accesses to the target.
  void await_accesses(Target& target);
  /// Operations on the target are to be flushed.
  void note_pending(Target& target);
  /// The exposure epoch of an origin has ended: its operations have been applied. False if the origin has no such
  /// epoch.
  bool exposure_ended(int rank) noexcept;
  /// The member is lost: operations and epochs that wait for it fail.
  void lost(int process, const Failure& why) noexcept;
  /// Whether a call waits for an answer of this process.
  bool awaits(int process) const noexcept;
  /// Calls `action` with the rank of each member for whose message a call waits that needs no answer.
  void for_each_waiting(const std::function<void(int rank)>& action) const;

 private:
  friend class WindowPool;
  friend class WindowService;
  static constexpr std::uint32_t mark_of_life = 0x31d0e5a1;

  Window(comm::Communicator& comm, const WindowParameters& parameters);
  ~Window();

  class Creation;

  Target& first_contact(int rank);
  void choose_paths(Target& target, transport::RemoteAccess network);
  TargetPath& path(PathKind kind) noexcept;
  /// The target, if an operation on it is allowed now.
  Target& access(int rank) {
    Target& found = target(rank);
    if (!found.open && !epochs_.all_open()) [[unlikely]]
      open(found);
    epochs_.note_use();
    return found;
  }
  [[gnu::cold]] void open(Target& target);
  bool accumulate_mapped(const Target& to, const Accumulate& what) const;
  static void check_elements(const proto::Buffer& buffer, const dtype::Datatype& element, const char* side);
  std::vector<int> ranks_of(const comm::Group& group) const;
  void end_exposure();
  void refuse_locks_if_unwanted() const;
  void take_lock(Target& target, LockKind kind);
  void lock_mapped();
  void take_lock_once(Target& target);
  void begin_release(Target& target);
  void end_release(Target& target) noexcept;
  void begin_flush(Target& target);
  bool flushed(const Target& target) const noexcept;
  bool locally_done(const Target& target) const noexcept;
  bool settled(const Target& target) const noexcept;
  void flush_pending();
  void await_flushed(Target& target);
  void await_all_flushed();
  void report_failures();
  static void report_failure(Target& target);
  void poll_sometimes();

  comm::Communicator& comm_;
  Atomic<std::uint32_t> mark_ = mark_of_life;
  proto::Engine& engine_;
  WindowService& service_;
  Flavor flavor_;
  Hints hints_;
  void* base_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t unit_ = 1;
  int shown_unit_ = 1;
  int shown_flavor_ = 0;
  int shown_model_ = 0;
  std::unique_ptr<NodeMemory> node_;
  Regions regions_;
  /// The keys of this process's memory, and the endpoints that deregister it.
  std::vector<std::pair<std::vector<std::byte>, transport::Endpoint*>> keys_;
  std::uint32_t network_accumulates_ = 0;  ///< the lengths of integers for which the network accumulates, added up
  int with_memory_ = no_member;            ///< the result of lowest_with_memory()
  /// Whether accumulates to members' memory on this node are atomic instructions where the processor has such
  /// instructions.
  bool processor_accumulates_ = false;
  Epochs epochs_;
  TargetTable targets_;
  std::vector<Target*> pending_;    ///< targets with operations that are not known to be complete
  std::vector<Target*> started_;    ///< the group of MPI_Win_start
  std::vector<int> awaited_posts_;  ///< the ranks whose MPI_Win_post MPI_Win_start waits for
  std::vector<int> exposed_to_;     ///< the ranks whose MPI_Win_complete has not been told
  Failure exposure_failure_;        ///< why the exposure epoch fails: a member of its group is lost
  bool lock_all_nocheck_ = false;   ///< whether MPI_Win_lock_all takes no locks
  std::unique_ptr<Origins> origins_;
  MappedPath mapped_{*this};
  SingleCopyPath single_copy_{*this};
  AdapterPath adapter_{*this};
  MessagesPath messages_{*this};
  unsigned flushes_ = 0;  ///< modulo their number between two rounds of progress
  Attributes attributes_;
};

}  // namespace bowline::rma
