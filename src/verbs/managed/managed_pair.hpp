// SPDX-License-Identifier: BSD-3-Clause
// ManagedPair: a queue pair that the connection manager makes and connects. The manager hands it the events of its
// identifier.
#pragma once

#include <cstdint>

#include "verbs/connection/queue_pair.hpp"
#include "verbs/managed/rdmacm_library.hpp"

namespace bowline::verbs {

class Connection;
class Manager;

/// The private data by which a process that asks for a connection tells which connection.
struct ConnectRequest {
  std::uint64_t cookie;  ///< of the asked device
  std::uint32_t link;    ///< number that the asked device has given to the connection
  std::uint32_t epoch;
};

class ManagedPair final : public QueuePair {
 public:
  ManagedPair(Manager& manager, Connection& connection, ibv_cq* completions, ibv_srq* receives);
  ~ManagedPair() override;

  void describe(Handshake&) const noexcept override {}
  bool connect(const Handshake& theirs) override;
  bool sends_after_handshake() const noexcept override { return false; }

  /// The peer asks. Throws Error.
  void asked(ManagerId id, std::uint32_t epoch);
  /// Something has happened to the identifier of the pair. Throws Error.
  void handle(rdma_cm_event_type event, int status);
  /// Gives up the connection.
  void lose(const char* why) noexcept;

 private:
  void ask();
  void make();
  void accept();
  void broke(rdma_cm_event_type event, int status) noexcept;

  Manager& manager_;
  Connection& connection_;
  ibv_cq* completions_;
  ibv_srq* receives_;
  std::uint32_t epoch_;
  std::uint32_t their_link_ = 0;
  bool asks_ = false;   ///< whether this process asks for the connection
  bool knows_ = false;  ///< the peer's handshake
  ManagerId id_;
};

}  // namespace bowline::verbs
