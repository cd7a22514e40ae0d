// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication (MPI-5.0, chapter 4): a persistent message whose parts are sent as they become ready.
//
//   sender    MPI_Psend_init:  partitioned_offer ->      matched, once, with MPI_Precv_init in order of the calls
//   receiver  MPI_Start:       <- partitioned_ready      the buffer may be filled, in each round
//   sender    MPI_Pready:      partitioned_data, ... ->  each ready partition at once, if the buffer may be filled;
//                                                        of an empty message one, when all are ready
//
// The two sides may divide the message into different numbers of partitions; each data message has its offset in the
// whole message.
//
// Sends and receives with the same envelope match in the order of their initialization. A request that is freed before
// it was started takes part in this matching: the offer of a freed send stays with the receiver, and a freed receive
// still takes the offer that it would have matched. So a pair that was made and freed leaves nothing behind for the
// next pair.
//
// The standard demands that a program which frees one side also frees the other. If a program frees and makes only one
// side anew, the requests still match, by two more messages:
//
//   receiver  frees a receive before its first start:   partitioned_released ->  the next start offers the send again
//   sender    gets partitioned_ready for a freed send:  partitioned_gone ->      the receive takes the next offer
//
// Offers and receives are matched here and not in the engine's queues. A receive that has not been started is not
// waited for, so it must not fail when its sender ends, and may be freed. An offer is not a message that another
// receive or a probe may take.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "proto/engine.hpp"
#include "proto/id_table.hpp"
#include "proto/services/bytes_arrived.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

struct PartitionedKind {
  // Their prefixes: PartitionedOffer, PartitionedReady, Data, PartitionedReady, PartitionedReleased.
  static constexpr Kind offer{32}, ready{33}, data{34}, gone{35}, released{36};
};

struct PartitionedOffer {
  std::uint64_t send_id;
  std::uint64_t bytes;  ///< of all partitions together
};

struct PartitionedReady {
  std::uint64_t send_id;
  std::uint64_t receive_id;
};

struct PartitionedReleased {
  std::uint64_t send_id;
};

class PartitionedTable;

/// The buffer of a partitioned operation: `count` times `each`, one after the other.
struct Partitions {
  int count;
  Buffer each;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(count) * each.bytes(); }
  /// Partition `i` alone.
  Buffer operator[](int i) const noexcept;
};

class PartitionedRequest : public SpecialRequest {
 public:
  /// Throws Error (MPI_ERR_ARG) if there is no such partition.
  void check_partition(int partition) const;
  /// Whether this is the sender's side.
  virtual bool sends() const noexcept = 0;

 protected:
  PartitionedRequest(Engine& engine, transport::Header header, const Partitions& partitions);

  Engine& engine_;
  PartitionedTable& table_;
  const transport::Header header_;
  const Partitions partitions_;
  const dtype::TypeRef type_;  ///< keeps the datatype alive
};

class PartitionedSend final : public PartitionedRequest, private SendObserver {
 public:
  /// `to`: process index, or no_process.
  static PartitionedSend& make(Engine& engine, int to, transport::Header header, const Partitions& partitions);

  /// Throws Error (MPI_ERR_REQUEST) if no round is active or the partition is ready already, (MPI_ERR_ARG) if there is
  /// no such partition.
  void check_ready(int partition) const;
  /// Marks a partition, which check_ready() has accepted, as ready. Its transfer has started when ready() returns, if
  /// the receiver's buffer may be filled.
  void ready(int partition) noexcept;

  bool sends() const noexcept override { return true; }
  std::string in_words(Engine& lane) const override;
  void start(Engine&) override;
  void dispose() noexcept override;
  bool goes_to(int rank) const noexcept { return peer_ != nullptr && peer_->rank == rank; }
  /// Whether the receiver may send partitioned_ready now.
  bool may_become_ready() const noexcept { return starts_a_round() || rounds_ahead_ == 0; }
  /// partitioned_ready has arrived: the receiver's buffer may be filled.
  void receiver_ready(std::uint64_t receive_id) noexcept;
  /// Whether the active round waits for this peer.
  bool awaits(const Peer& peer) const noexcept { return peer_ == &peer && starts_a_round() && !lost_; }
  /// The receive that has taken this send's offer was freed.
  void receiver_freed() noexcept;
  /// The receiver has ended: a round that waits for it fails as soon as all partitions are ready.
  void receiver_lost(const Peer& peer, const Failure& why) noexcept;
  /// The communicator is interrupted: the active round fails as soon as all partitions are ready.
  void interrupted(const Failure& why) noexcept;

 private:
  PartitionedSend(Engine& engine, int to, transport::Header header, const Partitions& partitions);
  void send_ended(const Error* failure) noexcept override;
  void offer() noexcept;
  void transfer(int partition) noexcept;
  void finish() noexcept;
  /// Whether a round is active for which no partitioned_ready has arrived.
  bool starts_a_round() const noexcept { return active && !done && receive_id_ == no_id; }
  void fail_round(const Failure& why) noexcept;

  std::uint64_t id_ = no_id;
  Peer* peer_;                          ///< nullptr for no_process
  std::vector<bool> ready_;             ///< by partition: whether it is ready in this round
  int left_ = 0;                        ///< partitions whose transfer has not completed
  std::uint64_t receive_id_ = no_id;    ///< id of the receive in this round; no_id until partitioned_ready arrives
  std::uint64_t next_receive_ = no_id;  ///< in the rounds by which the receiver is ahead
  unsigned rounds_ahead_ = 0;           ///< number of rounds by which the receiver is ahead
  bool offered_ = false;                ///< whether a receive has taken the offer, or will take it
  bool lost_ = false;                   ///< no partition of this round is sent any more, because the receiver has ended
};

class PartitionedReceive final : public PartitionedRequest {
 public:
  static PartitionedReceive& make(Engine& engine, int from, transport::Header header, const Partitions& partitions);

  /// Whether all data of the partition are in the buffer.
  bool arrived(int partition) const noexcept;

  bool sends() const noexcept override { return false; }
  std::string in_words(Engine& lane) const override;
  void start(Engine&) override;
  void dispose() noexcept override;
  bool accepts(transport::Header header) const noexcept;
  void bind(int origin, const PartitionedOffer& offer);
  /// The send for which this receive is ready was freed: the receive takes the next offer. Throws std::bad_alloc.
  void sender_freed(std::uint64_t send_id);
  /// Whether a round is active; the world rank from which its data come, and their match.
  bool waits() const noexcept { return active && !done; }
  int origin() const noexcept { return origin_; }
  Match match() const noexcept { return {header_.context, header_.source, header_.tag}; }
  /// The sender has ended: the round fails.
  void sender_lost(const Failure& why) noexcept;
  /// Stores data of the round. Returns false and stores nothing if these data are not allowed now.
  bool data_arrived(std::size_t offset, std::span<const std::byte> body);

 private:
  PartitionedReceive(Engine& engine, transport::Header header, const Partitions& partitions);
  void find_sender();
  void say_ready();
  void finish();
  void store(std::size_t offset, std::span<const std::byte> body);

  std::uint64_t id_ = no_id;
  int origin_ = no_process;  ///< process index of the sender, once known
  std::uint64_t send_id_ = no_id;
  std::size_t message_bytes_ = 0;    ///< of the sender's whole message
  bool started_ = false;             ///< whether the receive was ever started
  Coverage received_;                ///< what has arrived in this round
  std::vector<std::size_t> filled_;  ///< bytes that have arrived, by partition, in this round
};

/// The partitioned operations of one engine.
class PartitionedTable final : public Service {
 public:
  explicit PartitionedTable(Engine& engine) noexcept : Service(engine, forms) {}
  /// The table of the engine. Throws Error (MPI_ERR_INTERN) if none was added.
  static PartitionedTable& of(Engine& engine);

  bool outstanding() const noexcept override { return !sends.empty() || !receives.empty(); }
  bool awaits(const Peer& peer) const noexcept override;
  void for_each_waiting(const std::function<void(const Match&, int process)>& action) override;
  void unheard(const Peer& peer, const Failure& why) noexcept override;
  void unanswered(const Doomed& doomed, const Failure& why) noexcept override;
  void interrupted(std::uint32_t context, const Failure& why) override;
  void forget(std::uint32_t context) noexcept override;

  IdTable<PartitionedSend> sends;
  IdTable<PartitionedReceive> receives;

  struct Unmatched {
    Match match;
    PartitionedReceive* receive;  ///< nullptr if it has been freed
  };
  std::deque<Unmatched> unmatched;  ///< receives without an offer yet, in the order of MPI_Precv_init

  struct Offer {
    int origin;
    transport::Header header;
    PartitionedOffer offer;
  };
  std::deque<Offer> offers;  ///< offers without a receive yet

  /// Tells the sender that the receive which has taken its offer was freed before it was started.
  void release(int origin, transport::Header header, std::uint64_t send_id) noexcept;

 private:
  void offer_arrived(const Arrival& message);
  void ready_arrived(const Arrival& message);
  void data_arrived(const Arrival& message);
  void gone_arrived(const Arrival& message);
  void released_arrived(const Arrival& message);

  static const std::array<MessageKind, 5> forms;
};

}  // namespace bowline::proto
