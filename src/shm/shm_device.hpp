// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory transport of one lane: its section of this process's inbox, and endpoints to those of local peers.
//
// The owner watches the rings in which records have arrived recently: each poll looks into all of them. If there are
// many producers, the others must knock (knocks.hpp). So a poll looks into few rings and at one more line, however many
// peers are silent.
//
// A producer publishes a record and then reads, without a fence, whether its ring is watched. It may read an old answer
// and not knock after the owner's last look into the ring. Therefore every few polls look into one silent ring, in
// turns, and an owner that is about to sleep looks into all of them (ready()).
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
    bool wrong = false;    ///< it holds what is no record: nothing more is taken from it
    bool active = false;   ///< polls look into it
    bool watched = false;  ///< and the producer knows
    unsigned idle = 0;     ///< how many polls have found nothing there, one after the other
  };

  InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }
  unsigned take(Inbound& inbound, transport::Sink& sink) noexcept;
  void answer_knocks(transport::Sink& sink) noexcept;
  Inbound* adopt(std::size_t local, transport::Sink& sink) noexcept;
  void activate(Inbound& inbound) noexcept;
  void watch(Inbound& inbound, bool watching) noexcept;
  bool stays_active(Inbound& inbound, unsigned taken) noexcept;
  void look_in_turn() noexcept;
  void note_stranger(transport::Sink& sink) noexcept;
  void break_off(Inbound& inbound, transport::Sink& sink) noexcept;

  Inbox& inbox_;
  unsigned lane_;
  std::vector<int> local_ranks_;
  std::size_t my_local_rank_;
  node::Mapping header_;
  std::deque<Inbound> inbound_;    ///< a deque: growing it during a poll leaves the others in place
  std::vector<bool> adopted_;      ///< by local rank
  std::vector<Inbound*> by_rank_;  ///< by local rank; nullptr: it has no ring that could be mapped
  std::vector<Inbound*> active_;   ///< has room for all
  bool oversubscribed_ = false;    ///< whether there are more producers than are watched in any case
  std::size_t turn_ = 0;
  unsigned polls_ = 0;
  std::uint32_t connections_seen_ = 0;
};

}  // namespace bowline::shm
