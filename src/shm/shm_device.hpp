// SPDX-License-Identifier: BSD-3-Clause
// The shared-memory transport of one lane: its section of this process's inbox, and endpoints to the inboxes of local
// peers.
//
// The owner watches the rings in which records have arrived recently: each poll reads all of them. If there are many
// producers, the others must notify the owner (notification_bits.hpp). A poll thus reads few rings and one more line,
// however many peers are silent.
//
// A producer publishes a record and then reads, without a fence, whether its ring is watched. The producer may read an
// old value and not notify the owner after the owner's last look into the ring. Every few polls therefore also look
// into one silent ring, in turns, and an owner that is about to sleep looks into all of them (ready()). A poll that
// delivers nothing thus does not show that no record waits; ready() does.
#pragma once

#include <deque>
#include <vector>

#include "node/segment.hpp"
#include "shm/copy_buffers.hpp"
#include "shm/inbox.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

class ShmDevice final : public transport::Device {
 public:
  /// `producers`: the indices of the processes that may send here, in ascending order and by the numbers of their
  /// rings. This process's ring in their inboxes has the number `own_number`. The inbox must outlive the device.
  ShmDevice(Inbox& inbox, unsigned lane, std::size_t own_number, std::vector<int> producers);
  /// A device between the processes of one job: `local_ranks` are the world ranks on this node in ascending order, the
  /// same list in each process; `rank`: the rank of this process.
  ShmDevice(Inbox& inbox, unsigned lane, int rank, const std::vector<int>& local_ranks);

  std::string_view name() const override { return "shm"; }
  transport::Address address() const override;
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) noexcept override;
  bool ready() noexcept override;
  transport::Sleeper* sleeper() noexcept override { return &inbox_; }

  // ---- for endpoints

  /// The copy buffers through which this process sends; nullptr if they cannot be mapped.
  CopyBuffers* copy_buffers() noexcept;
  /// Takes back the copy buffers that are lent to this process, which has ended.
  void reclaim_copy_buffers(int peer) noexcept { copy_buffers_.reclaim(peer); }
  /// The copy buffers of the process `peer`, which the endpoint to it opens.
  BorrowedBuffers& borrowed_from(int peer) noexcept;

 private:
  struct Inbound {
    RingConsumer ring;
    const BorrowedBuffers* borrowed;  ///< of the producer
    int peer;                         ///< index of the producer
    bool wrong = false;               ///< the ring contains an invalid record: nothing more is taken from it
    bool active = false;              ///< polls read the ring
    bool watched = false;             ///< the producer knows that polls read the ring and does not notify the owner
    unsigned idle = 0;                ///< polls in a row that have found nothing in the ring
  };

  InboxHeader& header() const noexcept { return *reinterpret_cast<InboxHeader*>(section_.data()); }
  unsigned take(Inbound& inbound, transport::Sink& sink) noexcept;
  void take_notifications(transport::Sink& sink) noexcept;
  Inbound* adopt(std::size_t number, transport::Sink& sink) noexcept;
  void activate(Inbound& inbound) noexcept;
  void watch(Inbound& inbound, bool watching) noexcept;
  bool stays_active(Inbound& inbound, unsigned taken) noexcept;
  void look_in_turn() noexcept;
  void note_other_version(transport::Sink& sink) noexcept;
  void break_off(Inbound& inbound, transport::Sink& sink) noexcept;

  Inbox& inbox_;
  unsigned lane_;
  std::vector<int> producers_;  ///< by the numbers of their rings
  std::size_t own_number_;
  node::Mapping section_;
  CopyBuffers copy_buffers_;
  bool may_copy_ = true;                   ///< whether the copy buffers could be mapped
  std::vector<BorrowedBuffers> borrowed_;  ///< by ring
  std::deque<Inbound> inbound_;            ///< a deque: growing it during a poll leaves the others in place
  std::vector<bool> adopted_;              ///< by ring
  std::vector<Inbound*> by_ring_;          ///< nullptr: there was no memory to adopt the ring
  std::vector<Inbound*> active_;           ///< its capacity suffices for all
  bool many_ = false;                      ///< whether there are more than `most_watched` producers
  std::size_t turn_ = 0;
  unsigned polls_ = 0;
  std::uint32_t connections_seen_ = 0;
};

}  // namespace bowline::shm
