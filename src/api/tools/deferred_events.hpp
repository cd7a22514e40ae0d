// SPDX-License-Identifier: BSD-3-Clause
// Events for callbacks that may call any function of MPI (MPI_T_CB_REQUIRE_NONE): they are kept, and delivered at the
// end of the next call of the program that moves messages, when the library holds no lock. A fixed number is kept;
// what comes beyond it is dropped and counted.
#pragma once

#include <cstddef>

#include "api/tools/event_registration.hpp"

namespace bowline::api {

class DeferredEvents {
 public:
  static constexpr std::size_t most_kept = 4096;

  /// Under EventKind::Pause.
  static void keep(MPI_ABI_T_event_registration& registration, const Occurrence& occurrence) noexcept;
  /// Calls the callbacks for the events that are kept now. A callback that calls MPI may cause further ones, which wait
  /// for the next call.
  static void deliver() noexcept;
  /// One more registration needs this, or one less.
  static void need(int change) noexcept;
};

/// Lives as long as a call that is not executed directly (Call::is_special()).
class FollowedCall {
 public:
  FollowedCall() = default;
  FollowedCall(const FollowedCall&) = delete;
  FollowedCall& operator=(const FollowedCall&) = delete;
  ~FollowedCall() { DeferredEvents::deliver(); }
};

}  // namespace bowline::api
