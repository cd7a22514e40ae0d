// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/measured_costs.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "node/cache.hpp"
#include "node/peer_memory.hpp"

namespace bowline::coll {
namespace {

using proto::Way;
using proto::Ways;

constexpr std::size_t measured_bytes = 64 << 10;
constexpr double measured_page = 4096;
constexpr int rows_of_messages = 5;  // the way in use, and each other one
constexpr int messages_of_row = 4;
constexpr int round_trips = 8;
constexpr int repetitions = 4;

/// The time of a short message in nanoseconds; 0: not measured.
std::atomic<float> latency{0};

double now() noexcept {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

/// The least time of a few calls.
template <class Action>
double least_time(Action action) {
  double least = 0;
  for (int i = 0; i < repetitions; ++i) {
    const double begin = now();
    action();
    const double took = now() - begin;
    least = i == 0 ? took : std::min(least, took);
  }
  return least;
}

/// Costs of copies within this process's memory.
NodeCosts measure_alone() noexcept {
  NodeCosts costs;
  const std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[2 * measured_bytes]);
  if (memory == nullptr) return costs;
  std::byte* const from = memory.get();
  std::byte* const to = from + measured_bytes;
  std::memset(from, 1, 2 * measured_bytes);
  const double copied = least_time([&] { std::memcpy(to, from, measured_bytes); });
  costs.copy = static_cast<float>(copied / measured_bytes);
  if (!node::may_attach()) return costs;
  const node::ProcessMark mark = node::own_mark();
  bool failed = false;
  const auto read = [&](std::size_t bytes) {
    return least_time([&] { failed |= node::read_memory(mark, from, {to, bytes}) < 0; });
  };
  const double call = read(8);
  const double all = read(measured_bytes);
  if (failed) return costs;
  costs.call = static_cast<float>(call);
  costs.page = static_cast<float>((all - call) * measured_page / measured_bytes);
  return costs;
}

/// The choice for messages in rows that tells most: of the class of the measured length, or of a longer one.
const proto::WayChoice* row_known(const Ways& ways) noexcept {
  for (std::size_t size_class = Ways::class_of(measured_bytes); size_class < Ways::classes; ++size_class) {
    for (std::size_t nearness = 0; nearness < nearness_count; ++nearness) {
      const auto* const found = ways.find(static_cast<Nearness>(nearness), Ways::Rhythm::in_row, size_class);
      if (found != nullptr && found->known()) return found;
    }
  }
  return nullptr;
}

/// Nanoseconds per byte of the cheaper kind of pieces; 0 if neither is known.
float copied_twice(const proto::WayChoice& choice) noexcept {
  const float in_short = choice.cost(Way::short_pieces);
  const float in_long = choice.cost(Way::long_pieces);
  return in_short == 0 || in_long == 0 ? std::max(in_short, in_long) : std::min(in_short, in_long);
}

void learn_from_messages(NodeCosts& costs, const proto::WayChoice& choice) noexcept {
  const float copy = copied_twice(choice);
  if (copy > 0) {
    costs.copy_far *= copy / costs.copy;
    costs.copy = copy;
  }
  const auto attach = static_cast<double>(choice.cost(Way::attach));
  if (attach > 0) {
    const double page = attach * measured_page - static_cast<double>(costs.call) * measured_page / measured_bytes;
    costs.page = static_cast<float>(std::max(page, attach * measured_page / 2));
  }
}

}  // namespace

bool lacks_costs(proto::Engine& engine) noexcept {
  const bool measured = latency.load(std::memory_order_relaxed) > 0 && row_known(engine.ways()) != nullptr;
  return !engine.wait_policy().shared_cores && !proto::pinned_way() && !measured;
}

Task exchange_for_costs(Channel& channel) {
  if (channel.rank() > 1) co_return;
  const int other = 1 - channel.rank();
  const Scratch memory(channel, measured_bytes);
  const std::span<std::byte> data(memory);
  for (int row = 0; row < rows_of_messages; ++row) {
    Window<messages_of_row> transfers;
    while (!transfers.full())
      transfers.push(channel.rank() == 0 ? channel.receive(other, data) : channel.send(other, data));
    while (!transfers.empty()) {
      auto oldest = transfers.pop();
      co_await oldest;
    }
  }
  double least = 0;
  for (int trip = 0; trip < round_trips; ++trip) {
    const double begin = now();
    if (channel.rank() == 0) {
      auto sent = channel.send(other, data.first(8));
      co_await sent;
      auto received = channel.receive(other, data.first(8));
      co_await received;
    } else {
      auto received = channel.receive(other, data.first(8));
      co_await received;
      auto sent = channel.send(other, data.first(8));
      co_await sent;
    }
    const double took = (now() - begin) / 2;
    least = trip == 0 ? took : std::min(least, took);
  }
  latency.store(static_cast<float>(least), std::memory_order_relaxed);
}

NodeCosts known_costs(proto::Engine& engine) noexcept {
  static const NodeCosts alone = measure_alone();
  NodeCosts costs = alone;
  const float message = latency.load(std::memory_order_relaxed);
  // Short messages take as long as several system calls only if the two processes have run on the same core.
  const bool apart = !engine.wait_policy().shared_cores && message > 0 && message < 4 * alone.call;
  if (apart) {
    if (const auto* const choice = row_known(engine.ways())) learn_from_messages(costs, *choice);
    // A flag is read like a message of one line, without its handling; a long message takes an announcement, a request
    // and their answers.
    costs.flag = message / 2;
    costs.message = 4 * message;
  }
  if (const std::size_t cache = node::l2_cache_bytes(); cache > 0) costs.near_bytes = static_cast<float>(cache);
  costs.cores = static_cast<float>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return costs;
}

}  // namespace bowline::coll
