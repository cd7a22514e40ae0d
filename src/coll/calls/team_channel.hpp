// SPDX-License-Identifier: BSD-3-Clause
// The channel of a real team: transfers are messages of the protocol engine in the team's collective context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "coll/channel/call_id.hpp"
#include "coll/channel/channel.hpp"
#include "coll/slots/slots.hpp"
#include "coll/slots/team_slots.hpp"
#include "coll/team/division.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {

/// Where an operation gets its sequence number in shared memory.
enum class SequenceSource : std::uint8_t {
  of_one_thread,  ///< from the blocking order; the thread only waits for this operation, and may poll flags for a while
  of_many,        ///< from the non-blocking order; other operations may be pending at the same time
  of_its_own,     ///< from memory of its own: members may start its rounds in any order relative to other operations
  none,           ///< none: the operation uses messages
};

class TeamChannel final : public Channel {
 public:
  /// A channel for one collective operation, or for all rounds of a persistent one. The tag is the same in all members;
  /// members whose `id` does not match fail.
  TeamChannel(Team& team, std::int32_t tag, CallId id, SequenceSource source = SequenceSource::none) noexcept
      : Channel(team.rank, team.size),
        team_(team),
        order_(source == SequenceSource::of_one_thread || source == SequenceSource::none ? team.blocking
                                                                                         : team.nonblocking),
        tag_(tag),
        id_(id),
        source_(source) {
    at_once_ = source == SequenceSource::of_one_thread;
  }
  Team& team() const noexcept { return team_; }
  CallOrder& order() const noexcept { return order_; }
  std::int32_t tag() const noexcept { return tag_; }
  /// To be called before the algorithm: whether it may run before its task is started, because its input is ready. This
  /// holds for operations of one thread.
  void begin_at_once(bool at_once) noexcept { at_once_ = at_once; }

  bool takes_sequence() const noexcept override {
    const TeamSlots* const known = source_ == SequenceSource::of_its_own ? own_.get() : order_.slots.get();
    return source_ != SequenceSource::none && (known == nullptr || !known->refused());
  }
  /// The caller that runs a `shared` algorithm calls this in the order of the operations, if takes_sequence() is true,
  /// and open_slots() when the memory is ready. Returns the source of the number.
  TeamSlots& take_sequence() {
    OwnedSlots& slots = shared();
    if (slots == nullptr) [[unlikely]]
      slots.reset(new TeamSlots(team_.engine, team_.context, team_.ranks, team_.rank, team_.size));
    sequence_ = slots->next_sequence();
    return *slots;
  }
  /// Whether the next take_sequence() would make memory for this operation alone; if so, call make_memory() first.
  bool lacks_memory() const noexcept { return source_ == SequenceSource::of_its_own && own_ == nullptr; }
  /// `useful`: slot length in bytes; see TeamSlots.
  void make_memory(std::size_t useful) {
    own_.reset(new TeamSlots(team_.engine, team_.context, team_.ranks, team_.rank, team_.size, useful));
  }
  void open_slots() {
    emplace_slots();
    slots_->begin();
  }
  /// Like open_slots(), with a plan for the operation: Slots::begin_with_plan().
  void open_slots_with_plan(std::uint32_t plan) {
    emplace_slots();
    slots_->begin_with_plan(plan);
  }
  bool takes_node_sequences() const noexcept override {
    return source_ == SequenceSource::of_one_thread || source_ == SequenceSource::of_many;
  }
  void take_node_sequences() override {
    node_sequence_ = order_.division->node->slots().next_sequences(node_sequences);
  }
  void open_node_slots() override;
  NodeMemory next_node_memory() override {
    if (next_node_slots_ == node_sequences || !node_slots_.has_value()) return {};
    return {&node_slots_->slots[next_node_slots_++], team_.oversubscribed};
  }

  /// The operation has completed here: others may use its slots. The destructor does the same.
  void close_slots() noexcept {
    own_slots_.reset();
    node_slots_.reset();
  }

  const Hierarchy* hierarchy() const override { return team_.hierarchy(order_); }

  /// Which operation this is and for which members it waits, as "on MPI_COMM_WORLD, operation 3, awaiting rank 2".
  std::string in_words() const;
  /// The members for which the operation waits here.
  WaitTargets targets() const;
  /// The same, for a call that waits for the operation.
  proto::Awaiting awaiting() const noexcept {
    return {[](proto::Engine&, const void* what) -> proto::WaitDescription {
              const auto& channel = *static_cast<const TeamChannel*>(what);
              return {channel.in_words(), channel.targets(), {channel.team_.context}};
            },
            this};
  }

  void fail(const Error& why) override;
  const Error* failure() const noexcept override { return failure_.get(); }
  /// Before the next round of a persistent operation.
  void forget_failure() noexcept {
    failure_.reset();
    cut_off_ = false;
  }
  void copy(std::span<const std::byte> from, std::byte* to) override {
    if (failure_ == nullptr) [[likely]]
      Channel::copy(from, to);
  }
  void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) override {
    if (failure_ == nullptr) [[likely]]
      Channel::combine(reduction, left, inout);
  }

 private:
  /// The source of the operation's sequence numbers; nullptr before the first number was taken.
  OwnedSlots& shared() noexcept { return source_ == SequenceSource::of_its_own ? own_ : order_.slots; }
  std::vector<int> awaited() const;
  bool watches(const proto::Watch& watch) const;
  void emplace_slots() {
    TeamSlots& slots = *shared();
    const bool waits = source_ == SequenceSource::of_one_thread;
    slots_ = &own_slots_.emplace(slots.memory(), sequence_, id_, waits ? slots.spins() : 0, !waits);
  }

  transport::Header header() const noexcept {
    return {.context = team_.context, .source = team_.rank, .tag = tag_, .mark = id_.mark()};
  }
  void refuse_call(int source, std::uint16_t their_mark);
  void refuse_length(int source, std::size_t given, std::size_t expected);
  Completion* begin_send(int to, std::span<const std::byte> data) override;
  Completion* begin_receive(int from, std::span<std::byte> data) override;
  void end(Completion& completion) override;
  void abandon(Completion& completion) noexcept override;
  std::byte* take_scratch(std::size_t bytes) override;
  /// The transfer, nullptr if it completed at once; nothing if it could not start.
  template <class Begin>
  std::optional<Completion*> begun_or_failed(Begin begin);
  void tell_failure(int to);
  void tell_all_failure() noexcept;
  bool try_to_tell(int process) noexcept;

  struct NodeSlots {
    NodeSlots(SlotMemory& memory, std::uint64_t first, CallId call, unsigned spins) noexcept
        : slots{Slots(memory, first, call, spins), Slots(memory, first + 1, call, spins)} {}
    std::array<Slots, node_sequences> slots;
  };

  Team& team_;
  CallOrder& order_;
  std::int32_t tag_;
  CallId id_;
  SequenceSource source_;
  std::uint64_t sequence_ = 0;
  OwnedSlots own_;  ///< of_its_own: made by the first round
  std::optional<Slots> own_slots_;
  std::uint64_t node_sequence_ = 0;  ///< the first of the sequence numbers among the members on this node
  std::size_t next_node_slots_ = 0;  ///< of the next stage
  std::optional<NodeSlots> node_slots_;
  Failure failure_;       ///< the first failure
  bool cut_off_ = false;  ///< whether another member cannot be told of the failure
};

}  // namespace bowline::coll
