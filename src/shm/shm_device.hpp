// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory transport of one lane: its section of this process's inbox, and endpoints to those of local peers.
#pragma once

#include <deque>
#include <vector>

#include "node/segment.hpp"
#include "shm/inbox.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

class ShmDevice final : public transport::Device {
 public:
  /// `local_ranks`: the world ranks on this node in ascending order, the same list in each of them; `rank`: this
  /// process's. The inbox must outlive the device.
  ShmDevice(Inbox& inbox, unsigned lane, int rank, std::vector<int> local_ranks);

  std::string_view name() const override { return "shm"; }
  transport::Address address() const override;
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) noexcept override;
  bool ready() noexcept override;
  transport::Sleeper* sleeper() noexcept override { return &inbox_; }

 private:
  struct Inbound {
    RingConsumer ring;
    int peer;  ///< world rank of the producer
    node::Mapping memory;
    bool wrong = false;  ///< it holds what is no record: nothing more is taken from it
  };

  InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }
  void adopt_new_producers(transport::Sink& sink) noexcept;
  void note_stranger(transport::Sink& sink) noexcept;
  void break_off(Inbound& inbound, transport::Sink& sink) noexcept;

  Inbox& inbox_;
  unsigned lane_;
  std::vector<int> local_ranks_;
  std::size_t my_local_rank_;
  node::Mapping header_;
  std::deque<Inbound> inbound_;  ///< a deque: growing it during a poll leaves the others in place
  std::vector<bool> adopted_;    ///< by local rank
  std::uint32_t connections_seen_ = 0;
};

}  // namespace bowline::shm
