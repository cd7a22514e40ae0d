// SPDX-License-Identifier: BSD-3-Clause
// PeerTalk: how the leaders of MPI_Intercomm_create talk: by messages on the peer communicator with the purpose
// `local`, which no other operation uses with their tag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "api/processes/joining.hpp"
#include "comm/communicator.hpp"

namespace bowline::api {

class PeerTalk final : public Talk {
 public:
  /// `partner`: the rank of the other leader.
  PeerTalk(comm::Communicator& peer, int partner, int tag);

  /// Both leaders send and receive at the same time. Returns as many values as the other one sends.
  template <class Value>
  std::vector<Value> exchange(const std::vector<Value>& mine, std::size_t expected) {
    std::vector<Value> theirs(expected);
    exchange_bytes(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(theirs)));
    return theirs;
  }
  void send(std::span<const std::byte> message) override;
  Bytes receive() override;

 private:
  void exchange_bytes(std::span<const std::byte> mine, std::span<std::byte> theirs);
  proto::Request& begin_to_receive(std::span<std::byte> data);
  void send_to_partner(std::span<const std::byte> data);
  void finish(proto::Request& received);

  comm::Communicator& peer_;
  const std::uint32_t context_;
  const int partner_, tag_;
};

}  // namespace bowline::api
