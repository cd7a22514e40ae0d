// SPDX-License-Identifier: BSD-3-Clause
// MessagesPath: to targets whose memory this process cannot reach. The target's process executes the operations when it
// makes progress: in a call of MPI, or in its progress thread. It serves every datatype and operator.
//
// Messages to one target are handled in order. Data that are too long for one message are sent in parts from the
// program's memory; no other message to that target is sent before all parts are handed to the transport.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dtype/datatype.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/paths/target_path.hpp"

namespace bowline::rma {

class Window;

class MessagesPath final : public TargetPath {
 public:
  explicit MessagesPath(Window& window) noexcept : window_(window) {}

  const char* name() const noexcept override { return "messages"; }
  void put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) override;
  void get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) override;
  void accumulate(Target& target, const Accumulate& what, RmaRequest* request) override;
  void swap(Target& target, const Swap& what) override;
  void begin_flush(Target& target) override;
  bool flushed(const Target& target) const noexcept override;
  bool locally_done(const Target& target) const noexcept override;

  // ---- messages of synchronization

  void ask_for_lock(Target& target, LockKind kind);
  /// Releases the lock when all operations have been applied; flushed() becomes true then.
  void unlock(Target& target, LockKind kind);
  void tell_post(int rank);
  void tell_complete(Target& target);
  /// Asks for the facts about the target's memory.
  void ask_for_description(Target& target);

 private:
  proto::Peer& peer(const Target& target) const;
  transport::Header header() const noexcept;
  void await_room(Target& target);
  TypeName name_type(Target& target, const dtype::Datatype& type);
  void define(Target& target, unsigned slot);
  void send(Target& target, proto::Kind kind, const OperationHead& head, std::span<const std::byte> body);
  void send_with_data(Target& target, OperationHead head, const proto::Buffer& data, RmaRequest* request);
  OperationHead head(Target& target, Action action, const TargetData& place);
  std::uint64_t await_answer(Target& target, const proto::Buffer& into, RmaRequest* request);

  Window& window_;
  // The datatypes that messages name by slots. They are kept, so that no other datatype gets their address meanwhile.
  std::array<dtype::TypeRef, type_slots> types_;
  unsigned next_slot_ = 0;
};

}  // namespace bowline::rma
