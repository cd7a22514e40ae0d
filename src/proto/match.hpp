// SPDX-License-Identifier: BSD-3-Clause
// Matching: posted receives and messages that nobody has asked for yet, per context, each in order of arrival.
#pragma once

#include <cstddef>
#include <memory>

#include "base/list.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"

namespace bowline::proto {

/// A message that arrived before its receive.
struct Unexpected final : ListNode {
  transport::Header header;
  int origin = -1;                    ///< world rank of the sender of a ready_to_send; it waits for an answer
  ReadyToSend offer{};                ///< of a ready_to_send
  std::unique_ptr<std::byte[]> body;  ///< of an eager message
  std::size_t bytes = 0;              ///< length of the whole message
};

/// The queues of one context. MPI's order: a message takes the oldest receive that accepts it, a receive takes the
/// oldest message it accepts (MPI-5.0, section 3.5).
class MatchQueue {
 public:
  ReceiveRequest* take_posted(const transport::Header& header) noexcept {
    ReceiveRequest* found = posted_.find([&](const ReceiveRequest& receive) { return receive.accepts(header); });
    if (found != nullptr) List<ReceiveRequest>::remove(*found);
    return found;
  }
  void post(ReceiveRequest& receive) noexcept { posted_.push_back(receive); }

  Unexpected* find_unexpected(int source, int tag) noexcept {
    return unexpected_.find([=](const Unexpected& message) {
      return (source == message.header.source || source == any_source) && (tag == message.header.tag || tag == any_tag);
    });
  }
  void add_unexpected(Unexpected& message) noexcept { unexpected_.push_back(message); }
  static void remove(Unexpected& message) noexcept { List<Unexpected>::remove(message); }

  List<ReceiveRequest>& posted() noexcept { return posted_; }
  List<Unexpected>& unexpected() noexcept { return unexpected_; }

 private:
  List<ReceiveRequest> posted_;
  List<Unexpected> unexpected_;
};

}  // namespace bowline::proto
