// SPDX-License-Identifier: BSD-3-Clause
// The memory of an engine's sends and receives, and the ids by which peers name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "base/pool.hpp"
#include "proto/id_table.hpp"
#include "proto/matching/match.hpp"
#include "proto/request.hpp"

namespace bowline::proto {

class RequestStore {
 public:
  /// Throw std::bad_alloc.
  SendRequest& new_send(transport::Header header, Peer& peer, const Buffer& buffer, Mode mode) {
    SendRequest& send = *sends_.make(header, peer, buffer, mode);
    send.generation = next_generation();
    return send;
  }
  [[gnu::always_inline]] ReceiveRequest& new_receive(Match match, const Buffer& buffer) {
    ReceiveRequest& receive = *receives_.make(match.context, match.source, match.tag, buffer);
    receive.generation = next_generation();
    return receive;
  }

  /// Frees a request. Its handles are stale from then on.
  void recycle(ReceiveRequest& receive) noexcept {
    receive.mark = 0;
    receives_.destroy(&receive);
  }
  void recycle(SendRequest& send) noexcept {
    send.mark = 0;
    sends_.destroy(&send);
  }

  /// Count the sends that are pending.
  void send_begins() noexcept { ++active_sends_; }
  void send_ends() noexcept { --active_sends_; }
  bool any_send_pending() const noexcept { return active_sends_ != 0; }

  /// Gives the send an id by which its receiver may name it, if it has none; false if there is no memory for it.
  bool name(SendRequest& send) noexcept {
    if (send.id == no_id) send.id = named_sends_.add(send);
    return send.id != no_id;
  }
  /// Invalidates the id of the send, if it has one.
  void unname(SendRequest& send) noexcept {
    if (send.id != no_id) named_sends_.remove(std::exchange(send.id, no_id));
  }
  /// Gives the receive an id, its member `number`. Throws std::bad_alloc.
  void name(ReceiveRequest& receive) {
    receive.number = named_receives_.add(receive);
    if (receive.number == no_id) throw std::bad_alloc();
  }
  void unname(const ReceiveRequest& receive) noexcept { named_receives_.remove(receive.number); }
  /// nullptr if the id names nothing.
  SendRequest* send_named(std::uint64_t id) const noexcept { return named_sends_.find(id); }
  ReceiveRequest* receive_named(std::uint64_t id) const noexcept { return named_receives_.find(id); }

  /// Whether the id named a send, or a receive, that has ended.
  bool has_named_send(std::uint64_t id) const noexcept { return named_sends_.has_named(id); }
  bool has_named_receive(std::uint64_t id) const noexcept { return named_receives_.has_named(id); }

  /// Calls `action` with every pending send.
  template <class Action>
  void for_each_send(Action action) const {
    sends_.each([&](const SendRequest& send) {
      if (is_pending(send)) action(send);
    });
  }
  /// Calls `action` with every pending receive but those of calls that receive and wait.
  template <class Action>
  void for_each_receive(Action action) const {
    receives_.each([&](const ReceiveRequest& receive) {
      if (is_pending(receive)) action(receive);
    });
  }
  /// A request, recycled or not, that `accepts` holds of; nullptr if there is none.
  template <class Accept>
  Request* find(Accept accept) const {
    if (SendRequest* const send = sends_.find(accept)) return send;
    return receives_.find(accept);
  }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  static bool is_pending(const Request& request) noexcept {
    return request.mark == Request::alive && request.active && !request.done;
  }
  std::uint16_t next_generation() noexcept { return generation_++ % Request::generations; }

  Pool<SendRequest> sends_;
  Pool<ReceiveRequest> receives_;
  IdTable<SendRequest> named_sends_;
  IdTable<ReceiveRequest> named_receives_;
  std::size_t active_sends_ = 0;
  std::uint16_t generation_ = 0;  ///< of the next request
};

}  // namespace bowline::proto
