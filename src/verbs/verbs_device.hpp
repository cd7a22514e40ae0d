// SPDX-License-Identifier: BSD-3-Clause
// VerbsDevice: the verbs transport of one lane. It has a completion queue, a shared receive queue, and the connections.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/pool.hpp"
#include "transport/own_indices.hpp"
#include "transport/transport.hpp"
#include "verbs/atomic_update.hpp"
#include "verbs/connection/connection.hpp"
#include "verbs/connection/connection_manager.hpp"
#include "verbs/connection/connection_notes.hpp"
#include "verbs/connection/credits.hpp"
#include "verbs/connection/oob_exchange.hpp"
#include "verbs/memory_transfer.hpp"
#include "verbs/receive_group.hpp"
#include "verbs/send_work.hpp"
#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

class VerbsDevice final : public transport::Device, private OobHost {
 public:
  /// `rank`: this process's world rank; `ranks`: the size of the world; `host`: this host's name, which peers show in
  /// error messages. The adapter must outlive the device. If the adapter's role is Role::transfers, peers may access
  /// memory, but nobody may send messages: the device has few buffers, and does not announce its end. Throws Error.
  VerbsDevice(Adapter& adapter, int rank, int ranks, std::string host);
  ~VerbsDevice() override;
  VerbsDevice(const VerbsDevice&) = delete;
  VerbsDevice& operator=(const VerbsDevice&) = delete;

  std::string_view name() const override { return "verbs"; }
  transport::Address address() const override;
  bool reaches(std::span<const std::byte> address) const override;
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) noexcept override;
  void grow_to(int processes) override { indices_.grow_to(processes); }
  void known_as(int peer, int self) noexcept override { indices_.set(peer, self); }
  /// If ready() returns false, the descriptor is armed.
  bool ready() noexcept override;
  bool drained() noexcept override;
  std::optional<transport::Traffic> traffic() noexcept override {
    return transport::Traffic{.sent = notes_.sent, .delivered = notes_.delivered, .accesses = notes_.accesses > 0};
  }
  unsigned lost_peers() const noexcept override { return notes_.lost_peers; }
  int descriptor() const noexcept override { return oob_.descriptor(); }

  // ---- for connections

  Adapter& adapter() noexcept { return adapter_; }
  WorkPool& works() noexcept { return works_; }
  /// Memory that peers may read; nullptr where completions prove arrival.
  const RegisteredBlock* probe() const noexcept { return probe_.has_value() ? &*probe_ : nullptr; }
  /// A group through which one more peer can receive. Throws Error.
  ReceiveGroup& group_with_room();
  Pool<MemoryTransfer>& transfers() noexcept { return transfers_; }
  Pool<AtomicUpdate>& updates() noexcept { return updates_; }
  /// The queue pair of a connection in its present epoch. Throws Error.
  std::unique_ptr<QueuePair> make_pair(Connection& connection);
  int index_at(int peer) const noexcept { return indices_.at(peer); }
  ConnectionNotes& notes() noexcept { return notes_; }
  /// Whether a link that has failed may be made again: not while this process ends.
  bool may_reconnect() const noexcept { return sink_ != nullptr; }
  /// How long a link that has failed is made again and again.
  std::chrono::seconds patience() const noexcept override;

 private:
  /// A message that the sink could not take yet.
  struct Kept {
    Connection* connection;
    WireKind kind;
    transport::Header header;
    std::size_t prefix_bytes;
    std::vector<std::byte> bytes;
  };

  ReceiveGroup& open_group(unsigned peers);
  Connection& connection_to(int peer);
  unsigned poll_completions() noexcept;
  void handle(const ibv_wc& completion, ReceiveGroup& group) noexcept;
  void receive(const ibv_wc& completion, ReceiveGroup& group) noexcept;
  void deliver_or_lose(Connection& from, const WireHeader& wire, std::span<const std::byte> rest) noexcept;
  void deliver(Connection& from, const WireHeader& wire, std::span<const std::byte> rest);
  void deliver_kept() noexcept;
  void note_delivery() noexcept {
    ++notes_.happened;
    ++notes_.delivered;
  }
  void attend() noexcept;
  void look_around() noexcept;
  void look_at_adapter() noexcept;
  bool has_completions() noexcept;
  void inquire() noexcept;
  void renew(Connection& connection, std::uint32_t epoch) noexcept;
  void contact_again(Connection& connection) noexcept;
  void contact(Connection& connection) noexcept;
  void disarm() noexcept;
  void say_bye() noexcept;

  std::vector<std::byte> handshake_for(int peer) override;
  Answer handshake_received(const Handshake& handshake, std::span<const std::byte> address) override;
  bool answer_received(int peer, const Handshake& handshake) override;
  void ready_is(int peer, std::uint32_t epoch) override;
  void hung_up(int peer, std::uint32_t epoch) noexcept override;
  void unreachable(int peer, const std::string& why) noexcept override;
  void other_version_received(int peer, std::uint32_t version) noexcept override;

  Adapter& adapter_;
  transport::OwnIndices indices_;
  std::string host_;
  std::uint64_t cookie_;
  OobExchange oob_;
  CompletionChannel channel_;
  std::vector<std::unique_ptr<ReceiveGroup>> groups_;
  WorkPool works_;
  std::optional<RegisteredBlock> probe_;
  std::unique_ptr<ConnectionManager> manager_;  ///< nullptr if the port needs no connection manager
  Pool<MemoryTransfer> transfers_;
  Pool<AtomicUpdate> updates_;
  DeviceAddress own_address_;

  ConnectionNotes notes_;                                 ///< duties that attend() carries out
  std::vector<std::unique_ptr<Connection>> connections_;  ///< by their numbers
  std::unordered_map<int, Connection*> by_peer_;
  std::deque<Kept> kept_;  ///< messages to be delivered before any other message, in this order

  transport::Sink* sink_ = nullptr;
  unsigned rounds_ = 0;           ///< polls since the last look at handshakes
  std::array<ibv_wc, 16> found_;  ///< completions that ready() has found
  unsigned found_count_ = 0;
  ReceiveGroup* found_in_ = nullptr;  ///< the group in which ready() found the completions
  bool adapter_ended_ = false;        ///< after this event all peers count as lost
};

}  // namespace bowline::verbs
