// SPDX-License-Identifier: BSD-3-Clause
// The values are for each rank of the communicator. The names are those of Open MPI, which profilers and programs that
// place ranks by their traffic have built in.
#include "api/tools/communicator_variables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "api/entry/communicator_handles.hpp"
#include "api/tools/queue_lengths.hpp"
#include "api/tools/tool_interface.hpp"
#include "base/atomic.hpp"
#include "proto/events/engine_events.hpp"

namespace bowline::api {
namespace {

enum class Messages { of_the_program, of_collectives };
enum class Counted { messages, bytes };

/// Counts what this process sends to each rank. While it exists, messages leave their shortest ways, as with any
/// listener.
class SentTo final : public ObjectValues, EventListener {
 public:
  SentTo(const comm::Communicator& comm, Messages messages, Counted counted)
      : context_(messages == Messages::of_the_program ? comm.context() : comm.team().context),
        counted_(counted),
        sent_(static_cast<std::size_t>(messages == Messages::of_the_program ? comm.peers() : comm.team().size)) {
    for (int rank = 0; rank < static_cast<int>(sent_.size()); ++rank)
      ranks_.emplace(messages == Messages::of_the_program ? comm.process(rank) : comm.team().ranks.process(rank), rank);
    proto::protocol_chosen.add(*this);
  }
  SentTo(const SentTo&) = delete;
  SentTo& operator=(const SentTo&) = delete;
  ~SentTo() override { proto::protocol_chosen.remove(*this); }

  std::size_t count() const noexcept override { return sent_.size(); }
  std::uint64_t value(std::size_t rank) const noexcept override { return sent_[rank].load(std::memory_order_relaxed); }

  void hear(const Occurrence& occurrence) noexcept override {
    proto::ProtocolEvent event;
    std::memcpy(&event, occurrence.record.data(), sizeof event);
    if (event.context != context_ || event.side != static_cast<std::int32_t>(proto::Side::sender)) return;
    const auto rank = ranks_.find(event.process);
    if (rank == ranks_.end()) return;
    const std::uint64_t more = counted_ == Counted::messages ? 1 : event.bytes;
    sent_[static_cast<std::size_t>(rank->second)].fetch_add(more, std::memory_order_relaxed);
  }

 private:
  std::uint32_t context_;
  Counted counted_;
  std::vector<Atomic<std::uint64_t>> sent_;
  std::unordered_map<int, int> ranks_;  ///< by process
};

/// How many elements of a queue belong to each rank.
class QueueLengths : public ObjectValues {
 public:
  explicit QueueLengths(const comm::Communicator& comm)
      : context_(comm.context()), lengths_(static_cast<std::size_t>(comm.peers())) {}

  std::size_t count() const noexcept override { return lengths_.size(); }
  std::uint64_t value(std::size_t rank) const noexcept override { return lengths_[rank]; }
  /// While another thread is in MPI, the values stay those of the last look.
  void look() noexcept override {
    if (!this_process().seen_running()) return;
    look_at_queues(this_process().lanes().of(context_), [&](proto::Matching& matching) {
      std::ranges::fill(lengths_, 0);
      if (proto::MatchQueue* const queue = matching.known_queue(context_)) count_in(*queue);
    });
  }

 protected:
  virtual void count_in(proto::MatchQueue& queue) noexcept = 0;
  void add(int rank) noexcept {
    if (rank >= 0 && static_cast<std::size_t>(rank) < lengths_.size()) ++lengths_[static_cast<std::size_t>(rank)];
  }

 private:
  std::uint32_t context_;
  std::vector<std::uint64_t> lengths_;
};

class PostedLengths final : public QueueLengths {
 public:
  using QueueLengths::QueueLengths;

 private:
  void count_in(proto::MatchQueue& queue) noexcept override {
    queue.posted.all().find([&](const proto::ReceiveRequest& receive) {
      add(receive.source);  // not those from any source
      return false;
    });
  }
};

class UnexpectedLengths final : public QueueLengths {
 public:
  using QueueLengths::QueueLengths;

 private:
  void count_in(proto::MatchQueue& queue) noexcept override {
    if (queue.refuses()) return;
    queue.unexpected.all().find([&](const proto::Unexpected& message) {
      add(message.header.source);
      return false;
    });
  }
};

class CommunicatorVariable final : public ObjectVariable {
 public:
  using Make = std::unique_ptr<ObjectValues> (*)(const comm::Communicator& comm);

  constexpr CommunicatorVariable(Kind kind, Element element, Category category, std::string_view name,
                                 std::string_view help, Make make)
      : ObjectVariable(kind, Object::communicator, element, category, name, help), make_(make) {}

  std::unique_ptr<ObjectValues> of(const void* handle) const override {
    if (handle == nullptr || !this_process().seen_running()) throw ToolError(MPI_T_ERR_INVALID);
    const comm::Communicator* const comm = find_comm(*static_cast<const MPI_Comm*>(handle));
    if (comm == nullptr) throw ToolError(MPI_T_ERR_INVALID);
    return make_(*comm);
  }

 private:
  Make make_;
};

template <Messages messages, Counted counted>
std::unique_ptr<ObjectValues> make_sent(const comm::Communicator& comm) {
  return std::make_unique<SentTo>(comm, messages, counted);
}

template <class Lengths>
std::unique_ptr<ObjectValues> make_lengths(const comm::Communicator& comm) {
  return std::make_unique<Lengths>(comm);
}

using Kind = ObjectVariable::Kind;
using Element = ObjectVariable::Element;

constexpr CommunicatorVariable messages_sent(Kind::size, Element::uint64, Category::messages,
                                             "pml_monitoring_messages_count",
                                             "messages that this process has sent to each rank of the communicator",
                                             &make_sent<Messages::of_the_program, Counted::messages>);
constexpr CommunicatorVariable bytes_sent(
    Kind::size, Element::uint64, Category::messages, "pml_monitoring_messages_size",
    "bytes of messages that this process has sent to each rank of the communicator",
    &make_sent<Messages::of_the_program, Counted::bytes>);
constexpr CommunicatorVariable collective_messages(
    Kind::size, Element::uint64, Category::collectives, "coll_monitoring_messages_count",
    "messages that collectives have sent to each rank of the communicator; through shared memory they send none",
    &make_sent<Messages::of_collectives, Counted::messages>);
constexpr CommunicatorVariable collective_bytes(
    Kind::size, Element::uint64, Category::collectives, "coll_monitoring_messages_size",
    "bytes of messages that collectives have sent to each rank of the communicator; through shared memory they send "
    "none",
    &make_sent<Messages::of_collectives, Counted::bytes>);
constexpr CommunicatorVariable posted_lengths(
    Kind::level, Element::uint32, Category::messages, "pml_ob1_posted_recvq_length",
    "receives from each rank of the communicator that no message has matched, without receives from any rank",
    &make_lengths<PostedLengths>);
constexpr CommunicatorVariable unexpected_lengths(
    Kind::level, Element::uint32, Category::messages, "pml_ob1_unexpected_msgq_length",
    "messages of each rank of the communicator that have arrived and that no receive has taken",
    &make_lengths<UnexpectedLengths>);

}  // namespace

std::span<const ObjectVariable* const> communicator_variables() noexcept {
  static constexpr std::array<const ObjectVariable*, 6> all{
      &collective_messages, &collective_bytes, &messages_sent, &bytes_sent, &posted_lengths, &unexpected_lengths};
  return all;
}

}  // namespace bowline::api
