// SPDX-License-Identifier: BSD-3-Clause
// Matching brings messages and receives together: each communicator's context has a queue of posted receives and a
// queue of unexpected messages (match.hpp). It stores short messages itself; the rendezvous transfers long ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/counter.hpp"
#include "base/list.hpp"
#include "base/pool.hpp"
#include "proto/context.hpp"
#include "proto/matching/match.hpp"
#include "proto/request.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

class Matching final : public Service {
 public:
  explicit Matching(Engine& engine) : Service(engine, message_kinds()) {}
  ~Matching() override;

  /// The queue of a context in which this process has a communicator.
  MatchQueue& queue(std::uint32_t context) {
    MatchQueue* const found = in_slot(context);
    return found != nullptr ? *found : own_queue(context);
  }
  /// The queue for a message that has arrived. The communicator of the message may have been freed already, or may not
  /// exist yet. own_queue() distinguishes the two when this process requests the queue of the next communicator with
  /// that index. Throws Error if this process cannot have such a context, NotYet if there is no memory for the queue.
  MatchQueue& queue_of_arrival(int origin, std::uint32_t context) {
    MatchQueue* const found = in_slot(context);
    return found != nullptr ? *found : foreign_queue(origin, context);
  }
  /// The queue of this context; nullptr if there is none.
  MatchQueue* known_queue(std::uint32_t context) noexcept;

  /// Serves the receive from an unexpected message, or posts it.
  void post(ReceiveRequest& receive) {
    MatchQueue& messages = queue(receive.context);
    if (messages.unexpected.empty() || !match_unexpected(receive, messages)) [[likely]]
      messages.posted.post(receive);
  }
  /// An eager message has arrived: stores it, or keeps it as unexpected.
  void eager_arrived(int origin, transport::Header header, std::span<const std::byte> body) {
    MatchQueue& messages = queue_of_arrival(origin, header.context);
    if (ReceiveRequest* const receive = messages.posted.take(header)) [[likely]]
      return store(*receive, header, body);
    add_unexpected(keep(origin, header, body), messages);
  }

  /// The posted receive that takes this message, which is removed from its queue; nullptr if there is none.
  ReceiveRequest* take_posted(MatchQueue& messages, transport::Header header, std::size_t bytes) noexcept;
  /// Compares the kind of the data, if the message says it, with the datatype of the receive, which fails if they
  /// differ.
  static void compare_types(ReceiveRequest& receive, transport::Header header) noexcept;

  /// Makes an unexpected message from a copy of the body. Throws NotYet if there is no memory.
  Unexpected& keep(int origin, transport::Header header, std::span<const std::byte> body);
  void add_unexpected(Unexpected& message, MatchQueue& messages) noexcept;
  /// Serves the receive from a message that was removed from its queue, and frees the message.
  void serve(ReceiveRequest& receive, Unexpected& message) noexcept;
  /// Frees a message that was removed from its queue.
  void discard(Unexpected& message) noexcept;

  /// Completes a receive whose data are stored. `message` describes the whole message, of which the buffer may hold
  /// only a part. It is a copy, because callers may pass the receive's own status, which this function changes.
  void finish_receive(ReceiveRequest& receive, Status message) noexcept;
  void end(ReceiveRequest& receive) noexcept;

  /// The message that a matching receive would take; sets its status. nullptr if none has arrived. Throws Error if the
  /// queue refuses receives.
  Unexpected* peek(Match match, Status& status);
  /// As peek(), but waits for the message. Throws Error if none can arrive any more.
  Unexpected& await(Match match, Status& status);
  /// Removes the message from its queue; the user's handle refers to it then.
  Unexpected& take(Unexpected& message) noexcept;

  /// Calls `action` with the queue of each context.
  void for_each_queue(const std::function<void(MatchQueue&)>& action);
  /// Calls `action` with every message that no receive has taken.
  void for_each_unexpected(const std::function<void(const Unexpected&)>& action) const;
  /// Whether the user holds a message of the communicator with this index. O(high-water mark of the messages).
  bool holds_message_of(std::uint32_t index) const noexcept;
  void for_each_waiting(const std::function<void(const Match&, int process)>& action) override;
  void unanswered(const Doomed& doomed, const Failure& why) noexcept override;
  void interrupted(std::uint32_t context, const Failure& why) override;
  void forget(std::uint32_t context) noexcept override;

 private:
  template <class>
  friend struct bowline::LayoutOf;
  static std::span<const MessageKind> message_kinds() noexcept;
  void typed_arrived(const Arrival& message);
  void synchronous_arrived(const Arrival& message);
  void failure_arrived(const Arrival& message);

  MatchQueue* in_slot(std::uint32_t context) noexcept {
    const std::size_t slot = slot_of(context);
    if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) [[likely]]
      return queues_[slot].get();
    return nullptr;
  }
  MatchQueue& own_queue(std::uint32_t context);
  MatchQueue& foreign_queue(int origin, std::uint32_t context);
  MatchQueue& make_foreign_queue(std::uint32_t context);
  void drop(std::unique_ptr<MatchQueue>& queue) noexcept;
  void drop_messages(MatchQueue& queue) noexcept;

  bool match_unexpected(ReceiveRequest& receive, MatchQueue& messages);
  void store(ReceiveRequest& receive, transport::Header header, std::span<const std::byte> body) noexcept;
  void fail_receive(ReceiveRequest& receive, transport::Header header, const FailureNotice& notice,
                    std::span<const std::byte> text) noexcept;
  void matched_synchronous(int origin, transport::Header header, std::uint64_t send_id) noexcept;

  std::vector<std::unique_ptr<MatchQueue>> queues_;  ///< by slot_of(context)
  /// Queues of contexts whose slot belongs to another context: those of freed communicators, or of communicators that
  /// do not exist here yet.
  std::vector<std::unique_ptr<MatchQueue>> foreign_queues_;
  List<WaitingProbe> probes_;
  Pool<Unexpected> messages_;
  static Level unexpected_length, unexpected_bytes;
  Level::Part unexpected_length_{unexpected_length};
  Level::Part unexpected_bytes_{unexpected_bytes};
};

}  // namespace bowline::proto
