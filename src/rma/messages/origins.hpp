// SPDX-License-Identifier: BSD-3-Clause
// Origins: the other members of a window whose operations come as messages, and their execution by this process, the
// target.
//
// Handlers call these functions in progress. They check every number of a message before they use it. An operation that
// is wrong in itself, such as one outside of the window, fails: its origin gets the error in an answer, or with the
// next `flushed`. A message that no origin sends (a slot without a datatype, data that no operation has announced)
// throws Error, which closes the connection to its sender.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/failure.hpp"
#include "base/list.hpp"
#include "base/task.hpp"
#include "dtype/datatype.hpp"
#include "proto/engine.hpp"
#include "proto/watch.hpp"
#include "rma/messages/incoming.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/synchronization/ticket_lock.hpp"
#include "rma/target_data.hpp"

namespace bowline::rma {

class Window;

/// What this process knows of one origin.
struct Origin {
  explicit Origin(int rank_) noexcept : rank(rank_) {}
  int rank;                            ///< in the window
  std::vector<dtype::TypeRef> types;   ///< by slot; empty before the first one
  std::vector<std::byte> encoding;     ///< encoding of the datatype that is arriving
  std::uint32_t encoded_slot = 0;      ///< its slot
  std::unique_ptr<Incoming> incoming;  ///< the operation whose data are arriving
  Failure failure;                     ///< of an operation since the last `flushed`
  LockKind held = LockKind::none;      ///< the lock on this process that the origin has
  LockKind asked = LockKind::none;     ///< the lock for which the origin waits
  bool gone = false;                   ///< whether its process is lost
};

class Origins {
 public:
  explicit Origins(Window& window) noexcept : window_(window) {}
  ~Origins();
  Origins(const Origins&) = delete;
  Origins& operator=(const Origins&) = delete;

  // `rank`: of the sender in the window.
  void type_arrived(int rank, const proto::Arrival& message);
  void operation_arrived(int rank, const proto::Arrival& message);
  void swap_arrived(int rank, const proto::Arrival& message);
  void data_arrived(int rank, const proto::Arrival& message);
  void flush_arrived(int rank);
  void lock_arrived(int rank, const proto::Arrival& message);
  void unlock_arrived(int rank, const proto::Arrival& message);

  /// The process will send nothing any more: releases its lock, so that other processes get the lock.
  void lost(int rank) noexcept;

 private:
  Origin& origin(int rank);
  const dtype::Datatype& type_of(const Origin& origin, const proto::Arrival& message, TypeName name) const;
  TargetData place_of(const Origin& origin, const proto::Arrival& message, const OperationHead& head) const;
  void execute(Origin& origin, const proto::Arrival& message, const OperationHead& head, const TargetData& place);
  void answer_with_data(int process, const OperationHead& head, const TargetData& place, std::byte* base,
                        const dtype::Datatype* element);
  void tell_answer(int process, std::uint64_t answer_id, std::span<const std::byte> data);
  void fail(Origin& origin, const OperationHead& head, const Failure& why);
  void answer_flush(Origin& origin);
  void tell_result(const Origin& origin, proto::Kind kind, const Failure& failure);
  Background grant_later(int rank, LockKind kind, std::uint64_t ticket);
  void grant(Origin& origin, LockKind kind);
  void release(Origin& origin) noexcept;

  Window& window_;
  std::unordered_map<int, std::unique_ptr<Origin>> all_;
  /// A lock whose turn has not come, in a coroutine of grant_later().
  struct Waiting final : ListNode {
    explicit Waiting(proto::Watch& watch_) noexcept : watch(watch_) {}
    proto::Watch& watch;
  };
  List<Waiting> waiting_;
  bool ending_ = false;
};

}  // namespace bowline::rma
