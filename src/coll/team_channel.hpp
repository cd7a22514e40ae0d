// SPDX-License-Identifier: BSD-3-Clause
// The channel of a real team: transfers are messages of the protocol engine in the team's collective context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "coll/channel.hpp"
#include "coll/slots/slots.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

/// How an operation gets its turns in shared memory.
enum class Turns : std::uint8_t {
  of_one_thread,  ///< the team's; the thread only waits for this operation, and may poll flags for a while
  of_many,        ///< the team's; other operations may be pending at the same time
  of_its_own,     ///< in memory of its own: members may start its rounds in any order relative to other operations
  none,           ///< none: the operation uses messages
};

class TeamChannel final : public Channel {
 public:
  /// For one collective operation, or for all rounds of a persistent one. `tag` and `turns` are equal in all members.
  TeamChannel(Team& team, std::int32_t tag, Turns turns = Turns::none) noexcept
      : Channel(team.rank, team.size), team_(team), tag_(tag), turns_(turns), divided_(!team.untold) {
    at_once_ = turns == Turns::of_one_thread;
  }
  /// To be called before the algorithm: whether it may run before its task is started, because its input is ready. This
  /// holds for operations of one thread.
  void begin_at_once(bool at_once) noexcept { at_once_ = at_once; }

  bool takes_turns() const noexcept override {
    const TeamSlots* const known = turns_ == Turns::of_its_own ? own_.get() : team_.slots.get();
    return turns_ != Turns::none && (known == nullptr || !known->refused());
  }
  /// The caller that runs a `shared` algorithm calls this in the order of the operations, if takes_turns() is true, and
  /// open_turn() when the memory is ready. Returns the source of the turns.
  TeamSlots& take_turn() {
    std::unique_ptr<TeamSlots>& slots = shared();
    if (slots == nullptr) [[unlikely]]
      slots = std::make_unique<TeamSlots>(team_.engine, team_.ranks, team_.rank, team_.size);
    number_ = slots->next_number();
    return *slots;
  }
  /// Whether the next take_turn() would make memory for this operation alone; if so, call make_memory() first.
  bool lacks_memory() const noexcept { return turns_ == Turns::of_its_own && own_ == nullptr; }
  /// `useful`: slot length in bytes; see TeamSlots.
  void make_memory(std::size_t useful) {
    own_ = std::make_unique<TeamSlots>(team_.engine, team_.ranks, team_.rank, team_.size, useful);
  }
  void open_turn() {
    TeamSlots& slots = *shared();
    const bool waits = turns_ == Turns::of_one_thread;
    slots_ = &turn_.emplace(slots.memory(), number_, waits ? slots.spins() : 0, !waits);
  }
  bool takes_node_turns() const noexcept override { return turns_ == Turns::of_one_thread || turns_ == Turns::of_many; }
  void take_node_turns() override { node_number_ = team_.division->node->slots().next_numbers(node_turns); }
  void open_node_turns() override;
  NodeMemory next_node_memory() override {
    if (next_node_turn_ == node_turns || !node_turns_.has_value()) return {};
    return {&node_turns_->turns[next_node_turn_++], team_.crowded};
  }

  /// The operation has completed here: others may use its turns. The destructor does the same.
  void close_turn() noexcept {
    turn_.reset();
    node_turns_.reset();
  }

  const Hierarchy* hierarchy() const override { return divided_ ? team_.hierarchy() : nullptr; }

  void fail(const Error& why) override;
  const Error* failure() const noexcept override { return failure_.get(); }
  /// Before the next round of a persistent operation.
  void forget_failure() noexcept { failure_.reset(); }
  void copy(std::span<const std::byte> from, std::byte* to) override {
    if (failure_ == nullptr) [[likely]]
      Channel::copy(from, to);
  }
  void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) override {
    if (failure_ == nullptr) [[likely]]
      Channel::combine(reduction, left, inout);
  }

 private:
  /// The source of the operation's turns; nullptr before the first one.
  std::unique_ptr<TeamSlots>& shared() noexcept { return turns_ == Turns::of_its_own ? own_ : team_.slots; }

  Completion* begin_send(int to, std::span<const std::byte> data) override;
  Completion* begin_receive(int from, std::span<std::byte> data) override;
  void end(Completion& completion) override;
  void abandon(Completion& completion) noexcept override;
  std::byte* take_scratch(std::size_t bytes) override;
  template <class Begin>
  Completion* begun_or_failed(Begin begin);
  void tell_failure(int to);

  struct NodeTurns {
    NodeTurns(SlotMemory& memory, std::uint64_t first, unsigned spins) noexcept
        : turns{Slots(memory, first, spins), Slots(memory, first + 1, spins)} {}
    std::array<Slots, node_turns> turns;
  };

  Team& team_;
  std::int32_t tag_;
  Turns turns_;
  bool divided_;                    ///< whether the team knew the hardware of its members when the channel was made
  std::uint64_t number_ = 0;        ///< of the turn
  std::unique_ptr<TeamSlots> own_;  ///< of_its_own: made by the first round
  std::optional<Slots> turn_;
  std::uint64_t node_number_ = 0;   ///< of the first turn among the members on this node
  std::size_t next_node_turn_ = 0;  ///< the next turn for a stage
  std::optional<NodeTurns> node_turns_;
  Failure failure_;  ///< the first one
};

}  // namespace bowline::coll
