// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulator/turns.hpp"

namespace bowline::sim {

namespace {

std::uint64_t key_of(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

}  // namespace

Simulation::Simulation(const Cluster& cluster, const coll::Hierarchy* hierarchy)
    : cluster_(cluster), hierarchy_(hierarchy), network_(cluster) {
  const auto ranks = static_cast<std::size_t>(cluster.ranks());
  members_.reserve(ranks);
  for (int rank = 0; rank < cluster.ranks(); ++rank) members_.emplace_back(*this, rank, cluster.ranks());
  tasks_.resize(ranks);
  if (cluster.cores_are_shared()) turns_ = std::make_unique<Turns>(*this);
}

Simulation::~Simulation() = default;

const Costs& Simulation::costs(const Side& side) const noexcept {
  return cluster_.parameters().at(side.level);
}

Completion* Simulation::begin_send(Member& member, int to, std::size_t bytes) {
  const int from = member.rank();
  if (to < 0 || to >= member.size()) {
    throw std::runtime_error(fmt::format("member {} of {} sends to member {}", from, member.size(), to));
  }
  const Level level = cluster_.between(from, to);
  const Costs& costs = cluster_.parameters().at(level);
  const bool eager = bytes <= costs.eager;
  Traffic& traffic = report_.traffic[static_cast<std::size_t>(level)];
  ++traffic.messages;
  traffic.bytes += bytes;
  member.clock += picoseconds(costs.send) + (eager ? taking(costs.copy_in, bytes) : 0);

  Side& send = *sides_.make();
  send.time = member.clock;
  send.bytes = bytes;
  send.from = from;
  send.to = to;
  send.level = level;
  send.sends = true;
  send.eager = eager;
  Completion* completion = eager ? nullptr : &send;
  if (eager && within_node(level)) {
    if (turns_ != nullptr) completion = turns_->find_room(send);
    send.arrived = completion == nullptr;
    send.time += picoseconds(costs.latency);
  } else if (eager) {
    send.event = Side::Next::depart;
    events_.push(send.time, &send);
  }

  Side* const receive = unmatched_.front(key_of(from, to));
  if (receive == nullptr || receive->sends) {
    unmatched_.push(key_of(from, to), send);
  } else {
    unmatched_.pop(key_of(from, to));
    agree(send, *receive);
  }
  return completion;
}

Completion* Simulation::begin_receive(Member& member, int from, std::size_t bytes) {
  const int to = member.rank();
  if (from < 0 || from >= member.size()) {
    throw std::runtime_error(fmt::format("member {} of {} receives from member {}", to, member.size(), from));
  }
  Side& receive = *sides_.make();
  receive.time = member.clock;
  receive.bytes = bytes;
  receive.from = from;
  receive.to = to;
  Side* const send = unmatched_.front(key_of(from, to));
  if (send == nullptr || !send->sends) {
    unmatched_.push(key_of(from, to), receive);
  } else {
    unmatched_.pop(key_of(from, to));
    agree(*send, receive);
  }
  return &receive;
}

/// Both sides have been begun.
void Simulation::agree(Side& send, Side& receive) {
  if (send.bytes != receive.bytes) {
    throw std::runtime_error(fmt::format("member {} sends {} bytes to member {}, which receives {}", send.from,
                                         send.bytes, send.to, receive.bytes));
  }
  receive.level = send.level;
  receive.eager = send.eager;
  if (send.arrived) return arrive(send, receive);
  send.partner = &receive;
  if (send.eager) return;  // it is on its way
  // The receiver learns of the message, and the sender of the receiver.
  const Time latency = picoseconds(costs(send).latency);
  const Time known = std::max(send.time + latency, receive.time);
  if (turns_ != nullptr && within_node(send.level)) return turns_->begin_copying(send, receive, known);
  send.event = Side::Next::transfer;
  events_.push(known + latency, &send);
}

void Simulation::depart(Side& send, Time time) {
  const Network::Passage passage = network_.carry(time, cluster_.node(send.from), cluster_.node(send.to), send.bytes);
  send.time = passage.passed + picoseconds(costs(send).latency);
  send.arrived = true;
  if (send.partner != nullptr) arrive(send, *send.partner);
}

void Simulation::transfer(Side& send, Time time) {
  Side& receive = *send.partner;
  if (within_node(send.level)) return copy_through_memory(send, receive, time);
  const Network::Passage passage = network_.carry(time, cluster_.node(send.from), cluster_.node(send.to), send.bytes);
  complete(receive, passage.passed + picoseconds(costs(send).latency));
  complete(send, passage.left);
}

/// The receiver copies out what the sender has copied in, a piece behind it. Each has a core of its own.
void Simulation::copy_through_memory(Side& send, Side& receive, Time time) {
  const Costs& cost = costs(send);
  const double pace = std::max(cost.copy_in, cost.copy_out);  // one waits for the other
  const Time whole = taking(pace, send.bytes);
  const auto piece = std::min(send.bytes, static_cast<std::size_t>(cluster_.parameters().piece));
  const Time behind = picoseconds(cost.latency) + taking(pace, piece);
  Member& sender = members_[static_cast<std::size_t>(send.from)];
  Member& receiver = members_[static_cast<std::size_t>(send.to)];
  const Time begin = std::max(sender.clock, time);
  sender.clock = begin + whole;
  receiver.clock = std::max(std::max(receiver.clock, begin + behind) + whole, sender.clock + behind);
  complete(receive, receiver.clock);
  complete(send, sender.clock);
}

void Simulation::arrive(Side& send, Side& receive) {
  complete(receive, send.time);
  sides_.destroy(&send);
}

/// A member with a core of its own may go on at once, as its clock will say when it was; one that shares its core
/// runs when its turn comes.
void Simulation::complete(Side& side, Time time) {
  side.time = time;
  if (turns_ == nullptr) return wake(side);
  side.event = Side::Next::wake;
  events_.push(std::max(time, now_), &side);
}

void Simulation::wake(Side& side) {
  side.done = true;
  if (!side.waiter) return;
  if (turns_ == nullptr) {
    ready_.push_back(&side);
  } else {
    turns_->make_ready(side);
  }
}

void Simulation::end(Member& member, Side& side) {
  member.clock = std::max(member.clock, side.time);
  if (!side.sends) {
    const Costs& cost = costs(side);
    member.clock += picoseconds(cost.receive) + (side.eager ? taking(cost.copy_out, side.bytes) : 0);
  }
  sides_.destroy(&side);
}

void Simulation::begin(int rank) {
  let_run(rank, [](Task& task) { task.start(); });
}

void Simulation::go_on(Side& side) {
  const std::coroutine_handle<> waiter = std::exchange(side.waiter, nullptr);
  let_run(side.sends ? side.from : side.to, [waiter](Task&) { waiter.resume(); });
}

template <class Go>
void Simulation::let_run(int rank, Go go) {
  std::optional<Task>& task = tasks_[static_cast<std::size_t>(rank)];
  go(*task);
  if (!task->done()) return;
  task->result();
  task.reset();  // its frame serves another member
  report_.end = std::max(report_.end, members_[static_cast<std::size_t>(rank)].clock);
  ++finished_;
}

void Simulation::settle(const Progress& progress) {
  constexpr std::uint64_t between_reports = 1U << 20;
  while (true) {
    while (!ready_.empty()) {
      Side* const side = ready_.back();
      ready_.pop_back();
      go_on(*side);
    }
    if (events_.empty()) return;
    const auto [time, side] = events_.pop();
    now_ = time;
    switch (std::exchange(side->event, Side::Next::nothing)) {
      case Side::Next::depart:
        depart(*side, time);
        break;
      case Side::Next::transfer:
        transfer(*side, time);
        break;
      case Side::Next::look:
        turns_->look(*side, time);
        break;
      default:
        wake(*side);
    }
    if (++report_.events % between_reports == 0 && progress) progress(finished_, now_);
  }
}

void Simulation::check_finished() const {
  if (finished_ < cluster_.ranks()) {
    const std::string example = unmatched_.empty()
                                    ? ""
                                    : fmt::format(", one of them for what passes from member {} to member {}",
                                                  unmatched_.any().from, unmatched_.any().to);
    throw std::runtime_error(
        fmt::format("{} of {} members wait for each other{}", cluster_.ranks() - finished_, cluster_.ranks(), example));
  }
  if (!unmatched_.empty()) {
    throw std::runtime_error(
        fmt::format("nobody received what member {} sent to member {}", unmatched_.any().from, unmatched_.any().to));
  }
}

Task Simulation::row(Member& member, const MakeTask& make_task, int calls) {
  const Time work = picoseconds(member.parameters().call);
  for (int number = 0; number < calls; ++number) {
    member.clock += work;
    Task call = make_task(member, number);
    co_await call;
  }
}

Report Simulation::run(const MakeTask& make_task, int calls, const Progress& progress) {
  FramePool::trim();
  for (Member& member : members_) {
    const auto rank = static_cast<std::size_t>(member.rank());
    tasks_[rank] = calls == 1 ? make_task(member, 0) : row(member, make_task, calls);
  }
  for (int rank = 0; rank < cluster_.ranks() && turns_ == nullptr; ++rank) begin(rank);
  if (turns_ != nullptr) turns_->begin();
  settle(progress);
  check_finished();
  report_.end /= static_cast<Time>(calls);
  report_.frames = FramePool::taken();
  return report_;
}

}  // namespace bowline::sim
