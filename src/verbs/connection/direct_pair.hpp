// SPDX-License-Identifier: BSD-3-Clause
// DirectPair: a queue pair that this process connects by itself, with what the handshake has told of the peer's.
#pragma once

#include <cstdint>

#include "verbs/connection/queue_pair.hpp"
#include "verbs/verbs_handles.hpp"

namespace bowline::verbs {

class DirectPair final : public QueuePair {
 public:
  /// See attributes_for_pair(). Throws Error.
  DirectPair(const Adapter& adapter, ibv_cq* completions, ibv_srq* receives);

  void describe(Handshake& handshake) const noexcept override;
  /// From then on the queue pair receives and sends; messages that it sends before the peer's queue pair can receive
  /// are sent again by the adapter.
  bool connect(const Handshake& theirs) override;
  bool sends_after_handshake() const noexcept override { return true; }

 private:
  void modify(ibv_qp_attr& attributes, int mask, const char* what);

  const Adapter& adapter_;
  std::uint32_t first_packet_;
  QueuePairHandle owned_;
};

}  // namespace bowline::verbs
