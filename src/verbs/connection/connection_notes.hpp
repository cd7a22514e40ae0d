// SPDX-License-Identifier: BSD-3-Clause
// ConnectionNotes: what the connections of a device leave for it to do or to count. The device looks at them after it
// has polled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "transport/adapter_bytes.hpp"

namespace bowline::verbs {

class Connection;

struct ConnectionNotes {
  explicit ConnectionNotes(std::string adapter) : bytes(std::move(adapter)) {}

  std::vector<Connection*> returning_credits;  ///< credits to their peers; each at most once
  std::vector<Connection*> roomy;              ///< whose accesses may go on; each at most once
  std::vector<Connection*> broken;   ///< connections to be ended; each connection is in this list once in its life
  std::vector<Connection*> cut;      ///< to be connected again; each at most once
  std::vector<Connection*> joining;  ///< connections that the connection manager connects, or has connected
  unsigned happened = 0;             ///< operations that have ended, and messages that have come
  unsigned lost_peers = 0;
  std::uint64_t sent = 0;  ///< messages since the device was made
  std::uint64_t delivered = 0;
  unsigned accesses = 0;  ///< that have begun and not ended
  transport::AdapterBytes bytes;

  bool has_duties() const noexcept {
    return !returning_credits.empty() || !roomy.empty() || !broken.empty() || !cut.empty();
  }
  /// Makes room for the notes of so many connections, so that noting one later needs no memory. Throws std::bad_alloc.
  void reserve(std::size_t connections) {
    for (auto* const each : {&returning_credits, &roomy, &broken, &cut}) each->reserve(connections);
  }
};

}  // namespace bowline::verbs
