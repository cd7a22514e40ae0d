// SPDX-License-Identifier: BSD-3-Clause
// ScriptedPair: a queue pair without an adapter, which notes what is posted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "verbs/connection/peer_link.hpp"
#include "verbs/connection/queue_pair.hpp"
#include "verbs/send_work.hpp"

namespace bowline::verbs {

class ScriptedPair final : public QueuePair {
 public:
  /// What happens to the pairs that have this script.
  struct Script {
    bool receives_at_once = true;
    bool sends_after_handshake = true;
    int refusal = 0;                                    ///< errno
    std::vector<std::vector<const SendWork*>> posts{};  ///< the requests of each call
  };

  explicit ScriptedPair(Script& script, std::uint32_t number = 1) : script_(script) {
    context_.ops.post_send = [](ibv_qp* pair, ibv_send_wr* request, ibv_send_wr**) {
      Script& its = static_cast<Faked*>(pair)->owner->script_;
      its.posts.emplace_back();
      for (; request != nullptr; request = request->next)
        its.posts.back().push_back(reinterpret_cast<const SendWork*>(request->wr_id));
      return its.refusal;
    };
    faked_.context = &context_;
    faked_.qp_num = number;
    faked_.owner = this;
    pair_ = &faked_;
  }

  void describe(Handshake& handshake) const noexcept override { handshake.queue_pair = number(); }
  bool connect(const Handshake&) override { return script_.receives_at_once; }
  bool sends_after_handshake() const noexcept override { return script_.sends_after_handshake; }

 private:
  struct Faked : ibv_qp {
    ScriptedPair* owner;
  };

  Script& script_;
  ibv_context context_{};
  Faked faked_{};
};

/// Connects a link with a new pair to the pair of a peer that has this number.
inline void connect(PeerLink& link, ScriptedPair::Script& script, std::uint32_t theirs = 9) {
  link.adopt(std::make_unique<ScriptedPair>(script));
  Handshake handshake;
  handshake.queue_pair = theirs;
  link.connect(handshake);
}

}  // namespace bowline::verbs
