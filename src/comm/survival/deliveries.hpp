// SPDX-License-Identifier: BSD-3-Clause
// Deliveries: messages of a service to processes with which there may be no contact yet. A message waits if contact is
// not possible yet (transport::NotYet), and each round of progress tries again. A process that cannot be contacted
// counts as lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/task.hpp"
#include "proto/engine.hpp"
#include "proto/services/service.hpp"

namespace bowline::comm {

/// Used under the lock of the engine's lane.
class Deliveries {
 public:
  Deliveries(proto::Service& service, proto::Engine& engine) noexcept : service_(service), engine_(engine) {}

  /// Sends a message of one of the service's kinds; messages to one process arrive in order. Drops it if the process is
  /// lost.
  void send(int process, proto::Kind kind, std::span<const std::byte> prefix, std::span<const std::byte> body = {});

 private:
  struct Message {
    int process;
    std::vector<std::byte> prefix{};
    std::vector<std::byte> body{};
    proto::Kind kind{};
  };
  void deliver(Message message);
  bool try_to_deliver(const Message& message);
  static Background retry(Deliveries& self);

  proto::Service& service_;
  proto::Engine& engine_;
  std::deque<Message> waiting_;
  bool retrying_ = false;
};

}  // namespace bowline::comm
