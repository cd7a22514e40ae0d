// SPDX-License-Identifier: BSD-3-Clause
// Sends, RDMA and atomic operations, with the checks that both adapters make.
#pragma once

#include "support/fabric/adapter.hpp"

namespace fabric {

struct Outcome {
  enum class Kind { done, not_ready, no_answer };
  Kind kind = Kind::done;
  ibv_wc_status status = IBV_WC_SUCCESS;  ///< for the sender, if done
};

/// Carries one request out. A failure that concerns the peer puts its queue pair into the error state, too.
Outcome carry_out(const Work& work, const Pair& pair, QueuePair& peer);

}  // namespace fabric
