// SPDX-License-Identifier: BSD-3-Clause
// NodeMemory: the memory that the members of a window on one node share. It holds the control lines of each member and,
// in windows whose memory the library allocates, the memory of the window.
//
//   header         the ticket's secret, the number of sleeping members
//   control lines  of each member
//   regions        of each member, in dynamic windows
//   data           of all members, one after the other
//   descriptions   of the memory of members on other nodes, by rank; those that were needed have pages
//
// A member that is alone on its node has the same data structures in memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "node/process.hpp"
#include "node/shared_memory.hpp"
#include "proto/engine.hpp"
#include "proto/watch.hpp"
#include "rma/kept_description.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/region_table.hpp"
#include "rma/synchronization/accumulate_lock.hpp"
#include "rma/synchronization/control_lines.hpp"

namespace bowline::rma {

/// How the members' memory lies in the data. All members decide alike.
struct DataLayout {
  bool shared = false;           ///< whether the data hold the members' memory
  bool contiguous = false;       ///< whether each member's memory begins where the memory of the member before ends
  std::size_t alignment = 64;    ///< of each member's memory, or of the first member's; a power of two
  std::size_t descriptions = 0;  ///< number of the window's members, if the memory holds descriptions of them
  bool regions = false;          ///< whether members publish regions
  bool null_if_empty = false;    ///< whether memory of 0 bytes has no address, as programs for MPICH expect

  bool has_address(std::uint64_t size) const noexcept { return size > 0 || !null_if_empty; }
};

class NodeMemory final : public proto::Sharers, public Holders {
 public:
  /// `ranks`: the members on this node by their ranks in the window, ascending; `processes`: the same by process index.
  /// This process is number `mine` of them.
  NodeMemory(proto::Engine& engine, std::vector<int> ranks, std::vector<int> processes, int mine);

  // ---- making it. Each throws Error.

  /// Sets where the members' memory lies.
  void lay_out(const DataLayout& layout, std::span<const MemberFacts> facts);
  /// Makes the memory for all members, in the first member. That member calls all_have_it() when all have opened the
  /// memory.
  node::MemoryOffer make();
  void open(const node::MemoryOffer& offer);
  void all_have_it() noexcept { memory_.all_have_it(); }
  /// Makes memory for this process alone, with these facts: the members do not share any.
  void make_private(DataLayout layout, const MemberFacts& facts);
  /// Takes the shared memory out of the object, which can only be destroyed after that.
  node::SharedMemory release() noexcept { return std::move(memory_); }
  /// Leaves the memory to later windows. No member may use it any more.
  static void keep(node::SharedMemory memory) noexcept;
  /// Reserves the pages of this member's memory, and enters its facts.
  void enter(MemberFacts facts);

  // ---- using it

  int members() const noexcept { return static_cast<int>(ranks_.size()); }
  int mine() const noexcept { return mine_; }
  /// The rank of a member in the window.
  int rank(int member) const noexcept { return ranks_[static_cast<std::size_t>(member)]; }
  /// The number of the member with this rank; negative if it is on another node, or shares no memory.
  int member_of(int rank) const noexcept;
  /// Whether all members share the memory.
  bool shared() const noexcept { return memory_.mapping().size() > 0; }
  ControlLines& control(int member) const noexcept { return controls_[member]; }
  ControlLines& own() const noexcept { return controls_[mine_]; }
  RegionTable regions(int member) const noexcept;
  /// Calls `use` with the description of a member on another node that some process here has kept. False if there is
  /// none.
  using UseDescription = std::function<void(const Description& facts, std::span<const std::byte> key)>;
  bool find_description(int rank, const UseDescription& use) const;
  /// Keeps the description of a member on another node for the processes here.
  void keep_description(int rank, const Description& facts, std::span<const std::byte> key) noexcept;
  const DataLayout& layout() const noexcept { return layout_; }
  /// A member's memory, mapped here; nullptr if the data do not hold it.
  std::byte* data(int member) const noexcept;
  /// Whether members may read and write each other's other memory by a system call.
  bool single_copy() const noexcept { return single_copy_; }
  void set_single_copy(bool yes) noexcept { single_copy_ = yes; }
  /// Bytes of memory of the node.
  std::size_t bytes() const noexcept { return bytes_; }

  /// Waits until a word in this memory has reached a value. Throws Error if a member has ended, because that member may
  /// have been the one to advance the word.
  void await(const Atomic<std::uint64_t>& word, std::uint64_t value, proto::Awaiting awaiting);
  /// The notice for a watch of a word in this memory.
  proto::SleepNotice notice() const noexcept;
  /// Wakes members that sleep until a word changes, which this process has just advanced.
  void changed() noexcept {
    if (proto::SleepNotice::any_up(*sleepers_)) [[unlikely]]
      wake_sleepers();
  }

  // Stands for any member in a watch whose sharers are these members: "member" `anyone` has ended if any member has.
  static constexpr int anyone = -1;
  int process(int member) const noexcept override;
  bool ended(int member) noexcept override;

 private:
  node::SharedMemoryPool::Requirements requirements() const noexcept;
  void place(std::byte* memory) noexcept;
  std::size_t regions_begin() const noexcept;
  std::size_t data_begin() const noexcept;
  KeptDescription* description(int rank) const;
  void wake_sleepers() noexcept;

  struct FreeMemory {
    void operator()(std::byte* memory) const noexcept;
  };

  proto::Engine& engine_;
  std::vector<int> ranks_;
  std::vector<int> processes_;
  int mine_;
  bool single_copy_ = false;
  DataLayout layout_;
  std::vector<std::uint64_t> offsets_;  ///< of the members' memory in the data
  std::size_t bytes_ = 0;
  node::SharedMemory memory_;
  std::unique_ptr<std::byte, FreeMemory> private_;
  Atomic<std::uint32_t>* sleepers_ = nullptr;
  ControlLines* controls_ = nullptr;
  std::byte* regions_ = nullptr;
  std::byte* data_ = nullptr;
  std::byte* descriptions_ = nullptr;
  std::size_t descriptions_begin_ = 0;
  std::vector<std::optional<node::PeerProcess>> watched_;  ///< the members for which ended() was called
  int ended_ = -1;                                         ///< a member that has ended
};

}  // namespace bowline::rma
