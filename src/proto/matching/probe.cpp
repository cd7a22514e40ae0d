// SPDX-License-Identifier: BSD-3-Clause
// Probing: inspects unexpected messages, and removes one for a later receive.
#include "proto/engine.hpp"
#include "proto/matching/matching.hpp"

namespace bowline::proto {

Unexpected* Matching::peek(Match match, Status& status) {
  MatchQueue& messages = queue(match.context);
  if (messages.refuses()) [[unlikely]]
    throw Error(*messages.refusal());
  Unexpected* const message = messages.unexpected.find(match.source, match.tag);
  if (message != nullptr) {
    status = {.source = message->header.source, .tag = message->header.tag, .bytes = message->bytes};
  } else if (engine_.flow().throttles()) {
    engine_.flow().resume_for(match);
  }
  return message;
}

Unexpected& Matching::await(Match match, Status& status) {
  WaitingProbe probe(match);
  probes_.push_back(probe);
  const struct Withdraw {
    WaitingProbe& probe;
    ~Withdraw() { List<WaitingProbe>::remove(probe); }
  } withdraw{probe};
  Unexpected* message = nullptr;
  LossCheck check;
  engine_.wait_until([&] { return (message = peek(match, status)) != nullptr || probe.failure != nullptr; },
                     {&match_awaited, &match}, Awaited::one,
                     [&] { return check([&] { return engine_.liveness().pends(match); }); });
  if (message == nullptr && probe.failure == nullptr)
    throw engine_.liveness().pending_error(match.context, ErrorClass::proc_failed);
  if (message == nullptr) throw Error(*probe.failure);
  return *message;
}

Unexpected& Matching::take(Unexpected& message) noexcept {
  queue(message.header.context).unexpected.remove(message);
  message.mark = Unexpected::taken;
  return message;
}

}  // namespace bowline::proto
