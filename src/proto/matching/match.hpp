// SPDX-License-Identifier: BSD-3-Clause
// Matching: posted receives and unexpected messages, per context, each in order of arrival.
//
// MPI's order: a message takes the oldest receive that accepts it, and a receive takes the oldest message that it
// accepts (MPI-5.0, section 3.5). A queue is searched linearly, because the first element usually matches. After a long
// search the queue also gets an index, which it keeps until it is empty, so that a match takes constant time regardless
// of the length of the queue:
//
//   receives   by source and tag, where a wildcard is a value like any other; a message looks up the four combinations
//              that accept it and takes the oldest receive
//   messages   by source and tag, by source, and by tag; a receive looks up the one that its wildcards require
//
// If there is no memory for an index, the queue is searched linearly.
#pragma once

#include <cstddef>
#include <memory>

#include "base/list.hpp"
#include "proto/matching/key_table.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"

namespace bowline::proto {

struct ExactKey;
struct SourceKey;
struct TagKey;

/// A message that arrived before its receive, or that MPI_Mprobe has removed from its queue.
struct Unexpected final : ListNode, Link<ExactKey>, Link<SourceKey>, Link<TagKey> {
  using ListNode::linked;
  static constexpr std::uint32_t taken = 0x3e55a6e0;

  transport::Header header;
  int origin = -1;         ///< process index of the sender
  std::uint32_t mark = 0;  ///< `taken`, if the user holds it as an MPI_Message
  std::size_t stored = 0;  ///< length of `body`
  ReadyToSend offer{};     ///< of a ready_to_send; of an eager_synchronous only the send_id
  /// The data of an eager message, the key of an announced one, or a FailureNotice followed by its sentence.
  std::unique_ptr<std::byte[]> body;
  std::size_t bytes = 0;  ///< length of the whole message

  std::span<const std::byte> data() const noexcept { return {body.get(), stored}; }
  Kind kind() const noexcept { return static_cast<Kind>(header.kind); }
  /// Memory that the message takes in this process until it is received, in bytes.
  std::size_t footprint() const noexcept { return sizeof *this + stored; }
};

/// What a receive or probe accepts: the context, and source and tag or their wildcards.
struct Match {
  std::uint32_t context;
  int source;
  int tag;
  bool operator==(const Match&) const = default;
};

/// A call of MPI_Probe or MPI_Mprobe that waits.
struct WaitingProbe final : ListNode {
  explicit WaitingProbe(const Match& match_) noexcept : match(match_) {}
  const Match match;
  Failure failure;  ///< set if no matching message can arrive any more
};

/// A queue gets an index when a search has passed more elements than this.
inline constexpr std::size_t walked_at_most = 24;

/// The receives of one context that no message has matched.
class PostedQueue {
 public:
  /// Removes the oldest receive that accepts the message and returns it; nullptr if there is none.
  ReceiveRequest* take(transport::Header header) noexcept {
    if (list_.empty()) return nullptr;
    ReceiveRequest* found = nullptr;
    if (list_.front().accepts(header)) [[likely]]
      found = &list_.front();
    else
      found = index_ != nullptr ? find_indexed(header) : walk(header);
    if (found != nullptr) remove(*found);
    return found;
  }
  void post(ReceiveRequest& receive) noexcept {
    receive.number = next_order_++;
    list_.push_back(receive);
    if (index_ != nullptr) [[unlikely]]
      index(receive);
  }
  void remove(ReceiveRequest& receive) noexcept {
    List<ReceiveRequest>::remove(receive);
    if (index_ != nullptr) [[unlikely]] {
      index_->remove(key_of(receive), receive);
      if (list_.empty()) index_.reset();
    }
  }
  List<ReceiveRequest>& all() noexcept { return list_; }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  using Index = KeyTable<ReceiveRequest, PostedKey>;

  static std::uint64_t key_of(const ReceiveRequest& receive) noexcept { return match_key(receive.source, receive.tag); }
  ReceiveRequest* walk(transport::Header header) noexcept;
  void make_index() noexcept;
  void index(ReceiveRequest& receive) noexcept;
  ReceiveRequest* find_indexed(transport::Header header) noexcept;

  List<ReceiveRequest> list_;
  std::uint64_t next_order_ = 0;
  std::unique_ptr<Index> index_;
};

/// The messages of one context that no receive has matched.
class UnexpectedQueue {
 public:
  bool empty() const noexcept { return list_.empty(); }
  /// The oldest message that a receive with this source and tag accepts; nullptr if there is none.
  Unexpected* find(int source, int tag) noexcept;
  void add(Unexpected& message) noexcept;
  void remove(Unexpected& message) noexcept;
  List<Unexpected>& all() noexcept { return list_; }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  struct Index {
    KeyTable<Unexpected, ExactKey> exact;
    KeyTable<Unexpected, SourceKey> by_source;
    KeyTable<Unexpected, TagKey> by_tag;
    void add(Unexpected& message);
    void remove(Unexpected& message) noexcept;
    void clear() noexcept;
  };

  Unexpected* walk(int source, int tag) noexcept;
  void make_index() noexcept;
  void index(Unexpected& message) noexcept;

  List<Unexpected> list_;
  std::unique_ptr<Index> index_;
};

/// The two queues of one context, of posted receives and of unexpected messages. No receive in the former matches a
/// message in the latter.
struct MatchQueue {
  explicit MatchQueue(std::uint32_t context_) noexcept : context(context_) {}
  MatchQueue(const MatchQueue&) = delete;
  MatchQueue& operator=(const MatchQueue&) = delete;
  ~MatchQueue() { accept(); }

  /// From now on no receive and no message may be added. Both queues must be empty. Throws std::bad_alloc.
  ///
  /// The queue of messages then has an element that no receive may take. So a receive that finds the queue empty, as
  /// most do, needs no test of its own.
  void refuse(const Failure& why) {
    if (refusal_ != nullptr) return;
    refusal_ = std::make_unique<Refusal>(why);
    refusal_->element.header.context = context;  // for readers of this process's memory (QueueRecord)
    unexpected.add(refusal_->element);
  }
  bool refuses() const noexcept { return refusal_ != nullptr; }
  /// If the queue refuses receives.
  const Failure& refusal() const noexcept { return refusal_->why; }
  /// Ends refuse().
  void accept() noexcept {
    if (!refuses()) return;
    unexpected.remove(refusal_->element);
    refusal_.reset();
  }

  const std::uint32_t context;
  PostedQueue posted;
  UnexpectedQueue unexpected;

 private:
  struct Refusal {
    explicit Refusal(const Failure& why_) : why(why_) {}
    Failure why;
    Unexpected element;
  };
  std::unique_ptr<Refusal> refusal_;
};

}  // namespace bowline::proto
