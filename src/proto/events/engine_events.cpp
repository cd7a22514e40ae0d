// SPDX-License-Identifier: BSD-3-Clause
#include "proto/events/engine_events.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "proto/peer.hpp"
#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

enum class First : std::int32_t { receive, awaited_receive, message };
constexpr std::array<std::string_view, 3> first_words{"receive", "awaited_receive", "message"};
constexpr std::array<std::string_view, 2> side_words{"sender", "receiver"};

/// The protocols of protocols(), in its order, and then the announcement.
std::span<const std::string_view> protocol_words() {
  static const auto words = [] {
    std::vector<std::string_view> all;
    for (const Protocol* const each : protocols()) all.push_back(each->name());
    all.push_back("ready_to_send");
    return all;
  }();
  return words;
}

void tell_choice(const Peer& peer, transport::Header header, std::size_t bytes, std::size_t protocol,
                 Side side) noexcept {
  protocol_chosen.tell({.context = header.context,
                        .bytes = bytes,
                        .process = peer.rank,
                        .tag = header.tag,
                        .protocol = static_cast<std::int32_t>(protocol),
                        .side = static_cast<std::int32_t>(side)});
}

std::vector<Event<MessageEvent>::Field> message_fields() {
  return {{"source", &MessageEvent::source, "the sender's rank in its group"},
          {"tag", &MessageEvent::tag, "the tag of the message"},
          {"context", &MessageEvent::context, "the communicator's number in messages"},
          {"bytes", &MessageEvent::bytes, "the length of the message"}};
}

}  // namespace

Event<MessageEvent> message_unexpected(Category::messages, "message_unexpected",
                                       "a message has arrived, or was announced, before its receive was posted",
                                       message_fields());

Event<MatchEvent> message_matched(message_events, Category::messages, "message_matched",
                                  "a message has met its receive",
                                  {{"source", &MatchEvent::source, "the sender's rank in its group"},
                                   {"tag", &MatchEvent::tag, "the tag of the message"},
                                   {"context", &MatchEvent::context, "the communicator's number in messages"},
                                   {"bytes", &MatchEvent::bytes, "the length of the message"},
                                   {"first", &MatchEvent::first,
                                    "what was there first; awaited_receive: a call slept, so the message is late",
                                    first_words}});

Event<ProtocolEvent> protocol_chosen(message_events, Category::messages, "protocol_chosen",
                                     "the sender, or for an announced message the receiver, has chosen how it goes",
                                     {{"process", &ProtocolEvent::process, "the other process"},
                                      {"tag", &ProtocolEvent::tag, "the tag of the message"},
                                      {"context", &ProtocolEvent::context, "the communicator's number in messages"},
                                      {"bytes", &ProtocolEvent::bytes, "the length of the message"},
                                      {"protocol", &ProtocolEvent::protocol, "its name", protocol_words()},
                                      {"side", &ProtocolEvent::side, "what this process is", side_words}});

Event<MessageEvent> rendezvous_begun(Category::messages, "rendezvous_begun",
                                     "the receiver begins to transfer an announced message", message_fields());
Event<MessageEvent> rendezvous_ended(Category::messages, "rendezvous_ended",
                                     "an announced message is in the receive buffer, or has failed", message_fields());

Event<WaitEvent> wait_begun(Category::waiting, "wait_begun",
                            "a call has polled in vain for a while, and is about to sleep or to yield its core",
                            {{"process", &WaitEvent::process, "for which it waits; -1: for several, or for any"},
                             {"context", &WaitEvent::context, "of the operation; 0 if there are several"}});
Event<WaitEndEvent> wait_ended(Category::waiting, "wait_ended", "a call that has slept or yielded goes on",
                               {{"process", &WaitEndEvent::process,
                                 "for which it has waited; -1: for several, or for any"},
                                {"context", &WaitEndEvent::context, "of the operation; 0 if there are several"},
                                {"nanoseconds", &WaitEndEvent::nanoseconds, "since wait_begun"}});

Event<ProcessEvent> first_contact(Category::networks, "first_contact",
                                  "this process has connected to another one for the first time",
                                  {{"process", &ProcessEvent::process, "the other process"}});
Event<ProcessEvent> peer_lost(Category::losses, "peer_lost", "a process is lost, or its connection was broken off",
                              {{"process", &ProcessEvent::process, "the other process"}});

void tell_unexpected(const Unexpected& message) noexcept {
  message_unexpected.tell({.context = message.header.context,
                           .bytes = message.bytes,
                           .source = message.header.source,
                           .tag = message.header.tag});
}

void tell_posted_match(transport::Header header, std::size_t bytes, bool awaited) noexcept {
  message_matched.tell({.context = header.context,
                        .bytes = bytes,
                        .source = header.source,
                        .tag = header.tag,
                        .first = static_cast<std::int32_t>(awaited ? First::awaited_receive : First::receive)});
}

void tell_unexpected_match(const Unexpected& message) noexcept {
  message_matched.tell({.context = message.header.context,
                        .bytes = message.bytes,
                        .source = message.header.source,
                        .tag = message.header.tag,
                        .first = static_cast<std::int32_t>(First::message)});
}

void tell_protocol(const Peer& peer, transport::Header header, std::size_t bytes, const Protocol& protocol,
                   Side side) noexcept {
  const auto all = protocols();
  tell_choice(peer, header, bytes, static_cast<std::size_t>(std::ranges::find(all, &protocol) - all.begin()), side);
}

void tell_announced(const Peer& peer, transport::Header header, std::size_t bytes) noexcept {
  tell_choice(peer, header, bytes, protocols().size(), Side::sender);
}

void tell_rendezvous(const Event<MessageEvent>& event, const ReceiveRequest& receive) noexcept {
  event.tell({.context = receive.context,
              .bytes = receive.status.bytes,
              .source = receive.status.source,
              .tag = receive.status.tag});
}

}  // namespace bowline::proto
