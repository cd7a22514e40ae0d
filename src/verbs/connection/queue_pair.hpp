// SPDX-License-Identifier: BSD-3-Clause
// QueuePair: a reliable-connected queue pair, from its making to the state in which it sends. DirectPair is connected
// by what a handshake tells, ManagedPair by the connection manager.
#pragma once

#include <cstdint>

#include "verbs/connection/verbs_wire.hpp"
#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

class QueuePair {
 public:
  virtual ~QueuePair() = default;
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  /// Number of the queue pair; 0 while the connection manager has not made it.
  std::uint32_t number() const noexcept { return pair_ == nullptr ? 0 : pair_->qp_num; }
  /// Writes what a peer must know of this queue pair.
  virtual void describe(Handshake& handshake) const noexcept = 0;
  /// Connects the queue pair with the peer's, or begins to. Returns whether the queue pair can receive now; otherwise
  /// it calls Connection::can_receive() once it can. Throws Error.
  virtual bool connect(const Handshake& theirs) = 0;
  /// Whether this side may send when the handshake is over. If not, the connection manager tells the side that has
  /// asked for the connection when it may send, and the other side waits for the first message.
  virtual bool sends_after_handshake() const noexcept = 0;

  /// Puts the queue pair into its error state: from now on it receives and acknowledges nothing.
  void stop() noexcept;

  /// Hands a request, or several that are linked, to the adapter. Returns an errno.
  int post(ibv_send_wr& request) const noexcept {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(pair_, &request, &bad);
  }

 protected:
  QueuePair() = default;

  ibv_qp* pair_ = nullptr;  ///< which the derived class owns
};

/// The attributes with which every queue pair is made. Its requests complete in `completions`, and it receives from
/// `receives`.
ibv_qp_init_attr attributes_for_pair(const Adapter& adapter, ibv_cq* completions, ibv_srq* receives) noexcept;

/// RDMA reads and atomic operations that a queue pair executes at once.
std::uint8_t reads_at_once(const Adapter& adapter) noexcept;

}  // namespace bowline::verbs
