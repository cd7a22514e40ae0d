// SPDX-License-Identifier: BSD-3-Clause
// Cancelling: possible for a receive that no message has matched and for a send that no receive has matched. A matched
// operation continues unchanged (MPI-5.0, section 3.8.4).
//
// A receive, and a send of which nothing has been sent, are cancelled here at once. For a send that the receiver knows,
// the receiver decides: it drops the message and sends `cancelled`, or it has matched the message and sends `finished`
// as usual. A receiver that has left without an answer has not matched the message. A receive that failed because its
// sender has left can be cancelled like one that still waits.
#pragma once

#include <span>

#include "proto/request.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

class Cancelling final : public Service {
 public:
  explicit Cancelling(Engine& engine) noexcept : Service(engine, message_kinds()) {}

  /// Tries to cancel the request before any of its data have moved. The request completes in either case, sooner or
  /// later.
  void cancel(Request& request);

 private:
  static std::span<const MessageKind> message_kinds() noexcept;
  void cancel_arrived(const Arrival& message);
  void cancelled_arrived(const Arrival& message);
};

}  // namespace bowline::proto
