// SPDX-License-Identifier: BSD-3-Clause
// SendWork: a request in an adapter's send queue, with everything that is needed until it has completed, and to post it
// again. WorkPool: those of a lane.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/list.hpp"
#include "transport/transport.hpp"
#include "verbs/send_slots.hpp"
#include "verbs/verbs_library.hpp"

namespace bowline::verbs {

class Connection;

/// Requests in the send queue of one peer.
inline constexpr unsigned send_depth = 64;

/// Length of the memory that is read to prove that all earlier messages have arrived.
inline constexpr std::size_t probe_bytes = 8;

/// The longest message that a request carries itself, header included.
inline constexpr std::size_t longest_inline = 256;

struct SendWork : ListNode {
  ibv_send_wr request;  ///< wr_id and sg_list never change
  ibv_sge run;
  Connection* connection;
  transport::Operation* operation;  ///< notified of the completion, unless nullptr
  SendSlot* slot;                   ///< where the request's data are, or will be; nullptr if they are elsewhere
  std::byte* copy_to;               ///< where data that were read into the slot are wanted; nullptr if nowhere
  bool is_own;      ///< the request is the connection's own; it has no purpose beyond the present queue pair
  bool is_message;  ///< the request is a message, with this sequence number:
  std::uint32_t sequence;
  bool overtaken;  ///< a later request has completed before this one, which iWARP adapters let happen to reads
  std::array<std::byte, longest_inline> small;
};

inline bool is_read(const SendWork& work) noexcept {
  return work.request.opcode == IBV_WR_RDMA_READ;
}
inline bool is_atomic(const SendWork& work) noexcept {
  return work.request.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || work.request.opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
}

class WorkPool {
 public:
  /// At most `most` requests are under way at once. The slots have `slot_bytes` bytes each. The adapter must outlive
  /// the pool.
  WorkPool(Adapter& adapter, std::size_t slot_bytes, std::size_t most)
      : slots_(adapter, slot_bytes, most), slot_bytes_(slot_bytes), max_inline_(adapter.max_inline()), most_(most) {}
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  std::size_t slot_bytes() const noexcept { return slot_bytes_; }

  /// A request without data; nullptr if too many are under way, or if there is no memory.
  SendWork* take(Connection& connection) noexcept {
    if (free_ == nullptr && !grow()) [[unlikely]]
      return nullptr;
    ++taken_;
    SendWork* const work = free_;
    free_ = static_cast<SendWork*>(work->next);
    work->next = nullptr;
    work->connection = &connection;
    work->operation = nullptr;
    work->slot = nullptr;
    work->copy_to = nullptr;
    work->is_own = work->is_message = work->overtaken = false;
    work->request.num_sge = 1;
    work->request.send_flags = 0;
    return work;
  }
  /// Gives the request `bytes` bytes to send, at most slot_bytes(), and returns their place; nullptr if there is no
  /// free slot.
  std::byte* make_data(SendWork& work, std::size_t bytes) noexcept {
    if (bytes <= max_inline_) {
      work.request.send_flags = IBV_SEND_INLINE;
      return set_run(work, work.small.data(), bytes, 0);
    }
    return make_slot(work, bytes);
  }
  /// Like make_data(), in registered memory, where an adapter can also put something.
  std::byte* make_slot(SendWork& work, std::size_t bytes) noexcept {
    work.slot = slots_.take();
    if (work.slot == nullptr) [[unlikely]]
      return nullptr;
    return set_run(work, work.slot->memory, bytes, work.slot->local_key);
  }
  void give_back(SendWork& work) noexcept {
    if (work.slot != nullptr) slots_.give_back(work.slot);
    --taken_;
    work.connection = nullptr;
    work.next = free_;
    free_ = &work;
  }
  /// Whether so few requests or slots are left that each must come back as soon as it has ended: connections to many
  /// peers may hold all others, each connection fewer than it reports together.
  bool is_scarce() const noexcept { return free_ == nullptr || 4 * taken_ > 3 * most_ || slots_.is_scarce(); }

 private:
  static std::byte* set_run(SendWork& work, std::byte* memory, std::size_t bytes, std::uint32_t key) noexcept {
    work.run = {reinterpret_cast<std::uintptr_t>(memory), static_cast<std::uint32_t>(bytes), key};
    return memory;
  }
  bool grow() noexcept;

  SendSlots slots_;
  std::size_t slot_bytes_;
  std::size_t max_inline_;
  std::size_t most_;
  std::size_t count_ = 0;
  std::size_t taken_ = 0;
  SendWork* free_ = nullptr;  ///< linked by `next`
  std::vector<std::unique_ptr<SendWork[]>> all_;
};

}  // namespace bowline::verbs
