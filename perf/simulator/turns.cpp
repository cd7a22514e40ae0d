// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/turns.hpp"

#include <algorithm>
#include <utility>

namespace bowline::sim {

Simulation::Turns::Turns(Simulation& simulation)
    : simulation_(simulation),
      ring_(static_cast<std::size_t>(simulation.cluster_.parameters().ring)),
      ranks_(static_cast<std::size_t>(simulation.cluster_.ranks())),
      cores_(static_cast<std::size_t>(simulation.cluster_.cores())) {
  for (int number = 0; number < simulation.cluster_.ranks(); ++number)
    cores_[static_cast<std::size_t>(core_of(number))].ranks.push_back(number);
}

void Simulation::Turns::begin() {
  ready_ = simulation_.cluster_.ranks();
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].ranks.empty()) schedule(static_cast<int>(core), 0);
  }
}

/// The holder of the core looks at `time`, and not when it was to look before.
void Simulation::Turns::schedule(int core, Time time) {
  Core& at = cores_[static_cast<std::size_t>(core)];
  at.watching = false;
  Side& turn = *simulation_.sides_.make();
  turn.event = Side::Next::look;
  turn.from = core;
  turn.bytes = ++at.turn;
  ++looks_ahead_;
  simulation_.events_.push(std::max(time, simulation_.now_), &turn);
}

/// There is something new for a rank, which sees it at once if it is watching.
void Simulation::Turns::poke(int number, Time time) {
  const int core = core_of(number);
  const Core& at = cores_[static_cast<std::size_t>(core)];
  if (at.watching && at.ranks[at.holder] == number) schedule(core, time);
}

void Simulation::Turns::make_ready(Side& side) {
  const int number = side.sends ? side.from : side.to;
  rank(number).ready = &side;
  ++ready_;
  poke(number, side.time);
}

void Simulation::Turns::look(Side& turn, Time time) {
  const int core = turn.from;
  const bool valid = turn.bytes == cores_[static_cast<std::size_t>(core)].turn;
  simulation_.sides_.destroy(&turn);
  --looks_ahead_;
  if (!valid) return;
  const Core& at = cores_[static_cast<std::size_t>(core)];
  const int number = at.ranks[at.holder];
  if (rank(number).piece > 0 && end_piece(number, time)) return schedule(core, time);
  make_room(number, time);
  if (!rank(number).begun || rank(number).ready != nullptr) return run(core, number, time);
  if (const Time spent = take_piece(number, time); spent > 0) return schedule(core, time + spent);
  hand_over(core, time);
}

void Simulation::Turns::run(int core, int number, Time time) {
  Member& member = simulation_.members_[static_cast<std::size_t>(number)];
  member.clock = std::max(member.clock, time);
  --ready_;
  if (std::exchange(rank(number).begun, true)) {
    simulation_.go_on(*std::exchange(rank(number).ready, nullptr));
  } else {
    simulation_.begin(number);
  }
  if (simulation_.tasks_[static_cast<std::size_t>(number)].has_value()) return schedule(core, member.clock);
  Core& at = cores_[static_cast<std::size_t>(core)];
  at.ranks.erase(at.ranks.begin() + static_cast<std::ptrdiff_t>(at.holder));
  if (at.ranks.empty()) return;
  at.holder %= at.ranks.size();
  schedule(core, member.clock + picoseconds(machine().change));
}

void Simulation::Turns::hand_over(int core, Time time) {
  Core& at = cores_[static_cast<std::size_t>(core)];
  if (at.ranks.size() == 1) {
    at.watching = true;
    for (const Part& part : rank(at.ranks[0]).parts) {
      if (!part.in && !part.message->accepted) return schedule(core, part.message->known);
    }
    return;
  }
  at.holder = (at.holder + 1) % at.ranks.size();
  // If nothing is left to happen, all wait for each other.
  const bool alive = simulation_.events_.size() > looks_ahead_ || ready_ > 0 || pieces_ > 0;
  if (alive) schedule(core, time + picoseconds(machine().change));
}

Completion* Simulation::Turns::find_room(Side& send) {
  constexpr std::size_t header = 64;
  const std::uint64_t pair = static_cast<std::uint64_t>(send.from) << 32 | static_cast<std::uint32_t>(send.to);
  Filled& filled = filled_[pair];
  Rank& receiver = rank(send.to);
  if (filled.looks != receiver.looks) filled = {receiver.looks, 0};
  filled.bytes += send.bytes + header;
  if (filled.bytes <= ring_) return nullptr;
  Side& room = *simulation_.sides_.make();
  room.from = send.from;
  room.to = send.to;
  room.level = send.level;
  room.sends = true;
  receiver.without_room.emplace_back(&send, &room);
  poke(send.to, send.time);
  return &room;
}

void Simulation::Turns::make_room(int number, Time time) {
  Rank& receiver = rank(number);
  ++receiver.looks;
  for (const auto& [send, room] : std::exchange(receiver.without_room, {})) {
    const Time latency = picoseconds(simulation_.costs(*send).latency);
    simulation_.complete(*room, std::max(time, send->time));
    send->time = std::max(time + latency, send->time);
    send->arrived = true;
    if (send->partner != nullptr) simulation_.arrive(*send, *send->partner);
  }
}

void Simulation::Turns::begin_copying(Side& send, Side& receive, Time known) {
  Copying* const message = messages_.make(Copying{.send = &send,
                                                  .receive = &receive,
                                                  .from = send.from,
                                                  .to = send.to,
                                                  .level = send.level,
                                                  .bytes = send.bytes,
                                                  .known = known});
  ++pieces_;
  rank(send.from).parts.push_back({message, true});
  rank(send.to).parts.push_back({message, false});
  poke(send.to, known);
}

/// The rank does what it can for a long message: returns how long that takes it, 0 if there is nothing to do.
Time Simulation::Turns::take_piece(int number, Time time) {
  Rank& mine = rank(number);
  for (const auto [message, in] : mine.parts) {
    const Costs& costs = machine().at(message->level);
    if (!message->accepted) {
      if (in || message->known > time) continue;
      message->accepted = true;
      poke(message->from, time + picoseconds(costs.latency));
    }
    const std::size_t most = in ? std::min(message->bytes, message->out + ring_) : message->in;
    const std::size_t bytes =
        std::min(most - (in ? message->in : message->out), static_cast<std::size_t>(machine().piece));
    if (bytes == 0) continue;
    mine.copies = {message, in};
    mine.piece = bytes;
    return std::max<Time>(1, taking(std::max(costs.copy_in, costs.copy_out), bytes));
  }
  return 0;
}

/// Returns whether it was the last one of its message, which the rank may have waited for.
bool Simulation::Turns::end_piece(int number, Time time) {
  const auto [message, in] = rank(number).copies;
  (in ? message->in : message->out) += std::exchange(rank(number).piece, 0);
  poke(in ? message->to : message->from, time);
  if ((in ? message->in : message->out) < message->bytes) return false;
  std::erase(rank(number).parts, Part{message, in});
  simulation_.complete(in ? *message->send : *message->receive, time);
  if (!in) {
    messages_.destroy(message);
    --pieces_;
  }
  return true;
}

}  // namespace bowline::sim
