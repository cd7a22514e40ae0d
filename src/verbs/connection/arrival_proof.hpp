// SPDX-License-Identifier: BSD-3-Clause
// ArrivalProof: what the completions of one peer's requests prove of their arrival.
//
// InfiniBand and RoCE complete requests in order, and only when the peer has received them. On iWARP the completion of
// a send or a write says only that its data are not needed here any more, and the completion of a read says that
// everything before the read has arrived (RFC 5040, 5.5). Some adapters (siw) complete what follows a read before the
// read.
#pragma once

#include <cstdint>

#include "base/list.hpp"
#include "verbs/connection/verbs_wire.hpp"
#include "verbs/send_work.hpp"

namespace bowline::verbs {

class ArrivalProof {
 public:
  /// `by_completion`: Adapter::completion_proves_arrival().
  explicit ArrivalProof(bool by_completion) noexcept : by_completion_(by_completion) {}

  /// Whether requests complete in order, and only when they have arrived. If not, every read is reported by itself.
  bool by_completion() const noexcept { return by_completion_; }
  /// Begins with a new queue pair, which executes the requests again that have not completed.
  void start(const Handshake& theirs) noexcept;
  /// The oldest request under way that has ended, given that the completion of `reported` has come. Earlier reads have
  /// not ended.
  static SendWork& oldest_ended(List<SendWork>& under_way, SendWork& reported) noexcept;
  /// This request has ended.
  void note(const SendWork& done) noexcept;
  /// Whether everything that has ended has arrived.
  bool is_complete() const noexcept { return unproven_ == Unproven::nothing; }
  /// Whether a write has ended that has perhaps not arrived.
  bool lacks_writes() const noexcept { return unproven_ == Unproven::writes; }
  /// Not by_completion(): whether everything will have arrived when these requests have ended.
  bool comes_with(List<SendWork>& under_way) const noexcept;
  /// Makes `work` a request that ends after everything before it has arrived; false if there is no slot now.
  bool make(SendWork& work, WorkPool& works) const noexcept;

 private:
  /// Which requests have ended but may not have arrived.
  enum class Unproven : std::uint8_t { nothing, messages, writes };

  bool by_completion_;
  Unproven unproven_ = Unproven::nothing;
  std::uint32_t probe_key_ = 0;
  std::uint64_t probe_ = 0;  ///< address in the peer
};

}  // namespace bowline::verbs
