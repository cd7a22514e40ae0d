// SPDX-License-Identifier: BSD-3-Clause
// QueuePair: a reliable-connected queue pair, from its making to the state in which it sends.
#pragma once

#include <cstdint>

#include "verbs/connection/verbs_wire.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_handles.hpp"

namespace bowline::verbs {

class QueuePair {
 public:
  /// Makes a queue pair whose requests complete in `completions`, and which receives from `receives`. Throws Error.
  QueuePair(const Adapter& adapter, ibv_cq* completions, ibv_srq* receives);

  std::uint32_t number() const noexcept { return pair_->qp_num; }
  /// Writes what a peer must know of it.
  void describe(Hello& hello) const noexcept;
  /// Connects it with the peer's. From then on it receives and sends; what it sends before the peer's can receive is
  /// sent again by the adapter. Throws Error.
  void connect(const Hello& theirs);

  /// Puts it into its error state: from now on it receives and acknowledges nothing.
  void stop() noexcept;

  /// Hands a request, or several that are linked, to the adapter. Returns an errno.
  int post(ibv_send_wr& request) const noexcept {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(pair_.get(), &request, &bad);
  }

 private:
  void modify(ibv_qp_attr& attributes, int mask, const char* what);

  const Adapter& adapter_;
  std::uint32_t first_packet_;
  QueuePairHandle pair_;
};

}  // namespace bowline::verbs
