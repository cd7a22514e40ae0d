// SPDX-License-Identifier: BSD-3-Clause
#include "proto/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/process_id.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

/// Whether the message may name a request that has failed. `named`: whether its id was that of a request that has
/// ended.
bool may_have_failed(const Engine& engine, const Arrival& message, bool named) {
  return engine.liveness().forgets(message.origin) || (named && engine.interruptions().ever());
}

}  // namespace

Error wrong_message(int origin, const std::string& what) {
  return {ErrorClass::intern, fmt::format("a message from {} is wrong: {}; the connection with that rank is given "
                                          "up. Do all ranks run the same version of Bowline, and does none write "
                                          "beyond the ends of its arrays?",
                                          process_name(origin), what)};
}

Error wrong_message(int origin, std::string_view kind, const std::string& what) {
  return wrong_message(origin, fmt::format("{}: {}", kind, what));
}

std::string sentence_in(std::span<const std::byte> bytes) {
  constexpr std::size_t longest = 1000;
  std::string text;
  for (const std::byte each : bytes.first(std::min(bytes.size(), longest))) {
    const auto letter = static_cast<char>(each);
    text += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return text;
}

void check_form(const Form& form, const Arrival& message, int processes) {
  if (message.prefix.size() != form.prefix_bytes) {
    throw message.wrong(
        fmt::format("{} bytes stand before its body, not {}", message.prefix.size(), form.prefix_bytes));
  }
  if (message.body.size() > form.most_body) {
    throw message.wrong(
        fmt::format("it has a body of {} bytes, {} at most are allowed", message.body.size(), form.most_body));
  }
  if (!form.in_context || is_plausible(message.header, processes)) return;
  throw message.wrong(fmt::format("its source is {} (0 to {} are allowed), its tag is {} (0 at least)",
                                  message.header.source, processes - 1, message.header.tag));
}

void check_context(const Engine& engine, int origin, std::uint32_t context) {
  const unsigned lane = lane_of(context);
  const Lanes* const lanes = engine.lanes();
  const bool of_this_lane = lanes == nullptr || (lane < lanes->count() && &(*lanes)[lane] == &engine);
  if (of_this_lane && generation_of(context) < context_generations) return;
  throw wrong_message(origin, fmt::format("its context is {:#x}, which no communicator {}", context,
                                          of_this_lane ? "has" : "of that lane has"));
}

SendRequest& named_send(const Engine& engine, const Arrival& message, std::uint64_t id) {
  SendRequest* const send = engine.requests().send_named(id);
  if (send != nullptr && send->peer.rank == message.origin) return *send;
  if (may_have_failed(engine, message, engine.requests().has_named_send(id))) throw Forgotten();
  throw message.wrong(fmt::format("it speaks of send {:#x}, which does not wait for that rank", id));
}

ReceiveRequest& named_receive(const Engine& engine, const Arrival& message, std::uint64_t id) {
  ReceiveRequest* const receive = engine.requests().receive_named(id);
  if (receive != nullptr && receive->sender->rank == message.origin) return *receive;
  if (may_have_failed(engine, message, engine.requests().has_named_receive(id))) throw Forgotten();
  throw message.wrong(fmt::format("it speaks of receive {:#x}, which does not wait for that rank", id));
}

// At least one byte and at most the whole message: the receiver sends `finished` for an empty message.
void check_asked(const Arrival& message, const SendRequest& send, std::uint64_t bytes) {
  if (send.stage != SendRequest::Stage::announced)
    throw message.wrong("it asks for a message that was not offered, or for the second time");
  if (bytes == 0 || bytes > send.bytes)
    throw message.wrong(fmt::format("it asks for {} bytes of a message of {}", bytes, send.bytes));
}

void check_offered(const Arrival& message, std::uint64_t send_id, std::uint64_t bytes) {
  if (send_id == no_id) throw message.wrong("it has no id");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (bytes > most) throw message.wrong(fmt::format("it is said to have {} bytes", bytes));
}

}  // namespace bowline::proto
