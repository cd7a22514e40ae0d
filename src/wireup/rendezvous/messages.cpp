// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/messages.hpp"

#include <fmt/format.h>

namespace bowline::wireup {

std::string Arrival::text() const {
  return fmt::format("process {} on {}", process, host);
}

MessageWriter Arrival::message() const {
  MessageWriter made;
  made.add(RendezvousCall::hello).add(version).add(secret).add(size).add(wanted).add(node).add(host).add(process);
  made.add(static_cast<std::uint8_t>(serves));
  return made;
}

Arrival Arrival::read(MessageReader& message, const std::string& version) {
  Arrival arrival;
  arrival.version = message.take_text();
  if (arrival.version != version) return arrival;
  arrival.secret = message.take_text();
  arrival.size = message.take<int>();
  arrival.wanted = message.take<int>();
  arrival.node = message.take<std::uint64_t>();
  arrival.host = message.take_text();
  arrival.process = message.take<int>();
  arrival.serves = message.take<std::uint8_t>() != 0;
  return arrival;
}

MessageWriter Welcome::message() const {
  MessageWriter made;
  made.add(RendezvousAnswer::welcome).add(rank).add(job).add_list(nodes);
  return made;
}

Welcome Welcome::read(MessageReader& message) {
  Welcome welcome;
  welcome.rank = message.take<int>();
  welcome.job = message.take_text();
  welcome.nodes = message.take_numbers();
  return welcome;
}

}  // namespace bowline::wireup
