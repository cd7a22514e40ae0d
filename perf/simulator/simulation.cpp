// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulator/workload.hpp"

namespace bowline::sim {

/// One side of a transfer. A message that leaves before the receiver is known to be ready is one that nobody awaits.
struct Simulation::Side : Completion {
  enum class Next : std::uint8_t { nothing, depart, transfer, wake };

  Side* next = nullptr;  ///< of the table
  Side* last = nullptr;
  Side* partner = nullptr;
  Time time = 0;  ///< when it was begun; then when it ended, of a message when it arrives
  std::size_t bytes = 0;
  int from = 0;
  int to = 0;
  Level level = Level::cache;
  bool sends = false;
  bool eager = false;
  bool arrived = false;  ///< a message whose time of arrival is known
  Next event = Next::nothing;
};

class Simulation::Member final : public coll::Channel {
 public:
  Member(Simulation& simulation, int rank, int size) : Channel(rank, size), simulation_(simulation) {}

  const coll::Hierarchy* hierarchy() const override { return simulation_.hierarchy_; }
  void copy(std::span<const std::byte> from, std::byte* to) override {
    if (from.data() != to)
      clock += picoseconds(simulation_.cluster_.parameters().copy * static_cast<double>(from.size()));
  }
  void combine(const coll::Reduction&, const std::byte*, std::span<std::byte> inout) override {
    clock += picoseconds(simulation_.cluster_.parameters().combine * static_cast<double>(inout.size()));
  }

  Time clock = 0;

 private:
  Completion* begin_send(int to, std::span<const std::byte> data) override {
    return simulation_.begin_send(*this, to, data.size());
  }
  Completion* begin_receive(int from, std::span<std::byte> data) override {
    return simulation_.begin_receive(*this, from, data.size());
  }
  void end(Completion& completion) override { simulation_.end(*this, static_cast<Side&>(completion)); }
  void abandon(Completion&) noexcept override {}  // happens only when a simulation ends by an exception

  std::byte* take_scratch(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    mine_ += bytes;
    Report& report = simulation_.report_;
    report.scratch_of_one = std::max(report.scratch_of_one, mine_);
    report.scratch_of_all = std::max(report.scratch_of_all, simulation_.scratch_ += bytes);
    constexpr std::size_t alignment = 64, last = std::size_t{1} << 57;
    const std::size_t offset = simulation_.addresses_;
    simulation_.addresses_ = (offset + bytes + alignment) / alignment * alignment % last;
    return untouchable(2) + offset;
  }
  void give_scratch(std::byte*, std::size_t bytes) noexcept override {
    mine_ -= bytes;
    simulation_.scratch_ -= bytes;
  }

  Simulation& simulation_;
  std::size_t mine_ = 0;
};

namespace {

std::uint64_t key_of(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

Time taking(double each, std::size_t bytes) {
  return picoseconds(each * static_cast<double>(bytes));
}

bool within_node(Level level) {
  return level <= Level::node;
}

}  // namespace

Simulation::Simulation(const Cluster& cluster, const coll::Hierarchy* hierarchy)
    : cluster_(cluster), hierarchy_(hierarchy), network_(cluster) {
  const auto ranks = static_cast<std::size_t>(cluster.ranks());
  members_.reserve(ranks);
  for (int rank = 0; rank < cluster.ranks(); ++rank) members_.emplace_back(*this, rank, cluster.ranks());
  tasks_.resize(ranks);
  if (cluster.cores_are_shared()) cores_.resize(static_cast<std::size_t>(cluster.cores()));
}

Simulation::~Simulation() = default;

const Costs& Simulation::costs(const Side& side) const noexcept {
  return cluster_.parameters().at(side.level);
}

/// The time from which a rank runs on its core that is to run at `time`.
Time Simulation::board(int rank, Time time) {
  if (cores_.empty()) return time;
  Core& core = cores_[static_cast<std::size_t>(cluster_.core(rank))];
  time = std::max(time, core.free);
  if (core.last >= 0 && core.last != rank) time += picoseconds(cluster_.parameters().change);
  core.last = rank;
  return time;
}

/// The member works for so long, as soon as it can; returns when it began.
Time Simulation::occupy(Member& member, Time earliest, Time duration) {
  const Time begin = board(member.rank(), std::max(earliest, member.clock));
  member.clock = begin + duration;
  if (!cores_.empty()) cores_[static_cast<std::size_t>(cluster_.core(member.rank()))].free = member.clock;
  return begin;
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
  if (eager && within_node(level)) {
    send.arrived = true;
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
  return eager ? nullptr : &send;
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
  send.event = Side::Next::transfer;
  events_.push(std::max(send.time + latency, receive.time) + latency, &send);
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

/// The receiver copies out what the sender has copied in, a piece behind it.
void Simulation::copy_through_memory(Side& send, Side& receive, Time time) {
  const Costs& cost = costs(send);
  const double pace = std::max(cost.copy_in, cost.copy_out);  // one waits for the other
  const Time whole = taking(pace, send.bytes);
  const auto piece = std::min(send.bytes, static_cast<std::size_t>(cluster_.parameters().piece));
  const Time behind = picoseconds(cost.latency) + taking(pace, piece);
  Member& sender = members_[static_cast<std::size_t>(send.from)];
  Member& receiver = members_[static_cast<std::size_t>(send.to)];
  const Time begin = occupy(sender, time, whole);
  const Time sent = sender.clock;
  occupy(receiver, begin + behind, whole);
  receiver.clock = std::max(receiver.clock, sent + behind);
  complete(receive, receiver.clock);
  complete(send, sent);
}

void Simulation::arrive(Side& send, Side& receive) {
  complete(receive, send.time);
  sides_.destroy(&send);
}

/// A member with a core of its own may go on at once, as its clock will say when it was; one that shares its core
/// runs when its turn comes.
void Simulation::complete(Side& side, Time time) {
  side.time = time;
  if (cores_.empty()) return wake(side);
  side.event = Side::Next::wake;
  events_.push(std::max(time, now_), &side);
}

void Simulation::wake(Side& side) {
  side.done = true;
  if (side.waiter) ready_.push_back(&side);
}

void Simulation::end(Member& member, Side& side) {
  member.clock = std::max(member.clock, side.time);
  if (!side.sends) {
    const Costs& cost = costs(side);
    member.clock += picoseconds(cost.receive) + (side.eager ? taking(cost.copy_out, side.bytes) : 0);
  }
  sides_.destroy(&side);
}

/// A rank goes on, at `time` or when it can.
template <class Go>
void Simulation::let_run(int rank, Time time, Go go) {
  Member& member = members_[static_cast<std::size_t>(rank)];
  std::optional<Task>& task = tasks_[static_cast<std::size_t>(rank)];
  if (!cores_.empty()) member.clock = board(rank, std::max(member.clock, time));
  go(*task);
  if (!cores_.empty()) cores_[static_cast<std::size_t>(cluster_.core(rank))].free = member.clock;
  if (!task->done()) return;
  task->result();
  task.reset();  // its frame serves another member
  report_.end = std::max(report_.end, member.clock);
  ++finished_;
}

void Simulation::settle(const Progress& progress) {
  constexpr std::uint64_t between_reports = 1U << 20;
  while (true) {
    while (!ready_.empty()) {
      Side* const side = ready_.back();
      ready_.pop_back();
      const std::coroutine_handle<> waiter = std::exchange(side->waiter, nullptr);
      let_run(side->sends ? side->from : side->to, side->time, [waiter](Task&) { waiter.resume(); });
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

Report Simulation::run(const std::function<Task(coll::Channel&)>& make_task, const Progress& progress) {
  FramePool::trim();
  for (Member& member : members_) tasks_[static_cast<std::size_t>(member.rank())] = make_task(member);
  for (int rank = 0; rank < cluster_.ranks(); ++rank) {
    let_run(rank, 0, [](Task& task) { task.start(); });
  }
  settle(progress);
  check_finished();
  report_.frames = FramePool::taken();
  return report_;
}

}  // namespace bowline::sim
