// SPDX-License-Identifier: BSD-3-Clause
// File: one open file in one process (MPI-5.0, chapter 14).
//
// Several threads may use a file at the same time. The view, the hints and the individual pointer are guarded by the
// file's mutex, which is held for some instructions only. Accesses hold no lock of the file; they keep the view with
// which they started.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "mpiio/access/cost_model.hpp"
#include "mpiio/access/independent.hpp"
#include "mpiio/collective/read_choice.hpp"
#include "mpiio/collective/turn.hpp"
#include "mpiio/collective/window_memory.hpp"
#include "mpiio/file/access_mode.hpp"
#include "mpiio/file/file_hints.hpp"
#include "mpiio/file/units.hpp"
#include "mpiio/sharing/node_share.hpp"
#include "mpiio/sharing/open_register.hpp"
#include "mpiio/sharing/shared_pointer.hpp"
#include "mpiio/storage/file_system.hpp"
#include "mpiio/storage/storage.hpp"
#include "mpiio/view/view.hpp"

namespace bowline::mpiio {

/// What opening a file has found and made.
struct OpenedFile {
  std::string name;  ///< the name as the program gave it
  std::string path;
  int amode = 0;
  std::unique_ptr<Storage> storage;
  FileSystem system;
  Hints hints;
  Units units;
  std::unique_ptr<NodeShare> share;
  std::uint64_t number = 0;   ///< for the register of opens
  bool may_register = false;  ///< the register of opens works, and contains this open
  Offset start = 0;           ///< where the pointers begin
};

class File {
 public:
  /// `comm`: a communicator of the file's own, a duplicate of the communicator with which the file was opened.
  File(comm::Communicators& communicators, comm::Communicator& comm, OpenedFile opened);
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  /// Ends what this process keeps for the file; close_file() ends it in all processes.
  ~File();

  /// Whether the memory behind a handle holds an open file.
  bool alive() const noexcept { return mark_.load(std::memory_order_relaxed) == mark_of_life; }

  comm::Communicator& comm() const noexcept { return comm_; }
  const std::string& name() const noexcept { return opened_.name; }
  const std::string& path() const noexcept { return opened_.path; }
  int amode() const noexcept { return opened_.amode; }
  bool has_mode(int bit) const noexcept { return (opened_.amode & bit) != 0; }
  bool writable() const noexcept { return !has_mode(mode::rdonly); }
  Storage& storage() const noexcept { return *opened_.storage; }
  const FileSystem& system() const noexcept { return opened_.system; }
  /// The processes of the file by the memory that they share.
  const Units& units() const noexcept { return opened_.units; }
  RangeBoard& board() const noexcept { return opened_.share->board(); }

  Hints hints() const;
  void set_hints(const Hints& hints);
  std::shared_ptr<const View> view() const;
  /// Sets both pointers to 0, too. For all processes together: set_view() in view_setting.hpp.
  void set_view(std::shared_ptr<const View> view);

  /// The individual pointer, in etypes.
  Offset pointer() const;
  void set_pointer(Offset etypes);
  /// Moves the individual pointer by this many etypes and returns its former value.
  Offset advance_pointer(Offset etypes);
  SharedPointer& shared_pointer() noexcept { return *shared_pointer_; }

  bool atomic() const noexcept { return atomic_.load(std::memory_order_relaxed); }
  void set_atomic(bool atomic) noexcept { atomic_.store(atomic, std::memory_order_relaxed); }

  /// The size of the file in bytes. Throws Error.
  Offset size() const;

  CostModel& costs(bool writes) noexcept { return writes ? writing_costs_ : reading_costs_; }
  OpenRegister& opens() noexcept { return opens_; }
  /// Whether data sieving may write if no other open of the file exists: only processes of one node know each other's
  /// writes.
  bool may_sieve_writes() const noexcept;
  /// Whether other opens of the file can be excluded without the register: the program has promised it.
  bool opened_once() const noexcept { return has_mode(mode::unique_open); }

  /// The order of collective accesses, and the memory through which they go; used under the lock of the lane.
  TurnQueue& turns() noexcept { return turns_; }
  WindowMemory& windows() noexcept { return windows_; }
  ReadChoice& read_choice() noexcept { return read_choice_; }
  /// Waits until all collective accesses that this process has started have ended. To be called before other collective
  /// operations on the file's communicator.
  void await_turns();

  /// Independent operations that have started and have not ended.
  Atomic<int>& pending() noexcept { return pending_; }
  /// Throws Error (request) if operations on the file are pending. `what`: the function that does not allow them.
  void refuse_pending(const char* what) const;

  /// The split collective access that has begun and not ended. Used by the thread that calls collective functions.
  struct Split {
    proto::Request* request = nullptr;  ///< nullptr: there is none
    const void* buffer = nullptr;
    const char* function = nullptr;  ///< the function that began the split access
  };
  Split& split() noexcept { return split_; }

  /// "rank 2 on node7", for errors.
  std::string where() const;

 private:
  static constexpr std::uint32_t mark_of_life = 0xf17ef17e;

  comm::Communicators& communicators_;
  comm::Communicator& comm_;
  OpenedFile opened_;
  Atomic<std::uint32_t> mark_ = mark_of_life;
  mutable std::mutex mutex_;
  Hints hints_;
  std::shared_ptr<const View> view_;
  Offset pointer_ = 0;
  std::optional<SharedPointer> shared_pointer_;
  OpenRegister opens_;
  CostModel reading_costs_;
  CostModel writing_costs_;
  Atomic<bool> atomic_{false};
  Atomic<int> pending_{0};
  TurnQueue turns_;
  WindowMemory windows_;
  ReadChoice read_choice_;
  Split split_;
};

}  // namespace bowline::mpiio
