// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/departure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "comm/communicators.hpp"
#include "comm/index_space.hpp"
#include "proto/context.hpp"
#include "proto/engine.hpp"
#include "proto/in_words.hpp"
#include "runtime/job_directory.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {
namespace {

constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds between_looks{10};
constexpr std::size_t most_described = 4;

template <class Action>
void for_each_lane(proto::Lanes& lanes, Action action) {
  for (std::size_t lane = 0; lane < lanes.count(); ++lane) {
    proto::Engine& engine = lanes[lane];
    const LockGuard hold(engine.lock());
    action(engine);
  }
}

bool is_own(const proto::SendRequest& send) {
  return send.peer.rank == this_process().communicators().process();
}

std::string in_words(const proto::SendRequest& send) {
  const auto purpose = static_cast<proto::Purpose>(send.header.context & 3);
  const bool tagged = purpose == proto::Purpose::point_to_point || purpose == proto::Purpose::partitioned;
  const int process = send.peer.rank;
  const bool of_this_job = this_process().processes().is_of_this_job(process);
  return fmt::format("{} bytes to {}{}{}{} on {}", send.buffer.bytes(), process_name(process),
                     of_this_job ? " of MPI_COMM_WORLD" : "", is_own(send) ? " (this rank itself)" : "",
                     tagged ? fmt::format(", tag {},", send.header.tag) : ", of a collective operation",
                     communicator_in_words(send.header.context,
                                           this_process().communicators().find(proto::index_of(send.header.context))));
}

}  // namespace

Departure::Departure(proto::Lanes& lanes, Transports& transports, const char* call, proto::Farewell farewell)
    : lanes_(lanes), transports_(transports), call_(call), farewell_(farewell) {}

void Departure::drain() {
  if (is_last()) transports_.tell_end(shm::ending);
  for_each_lane(lanes_, [&](proto::Engine& engine) { engine.drain([&] { return abandons(engine); }, is_last()); });
  tell_who_waits();
}

void Departure::say_good_bye() {
  if (is_time_to_look()) tell_who_waits();
}

bool Departure::is_time_to_look() {
  const auto now = Clock::now();
  if (now < next_look_) return false;
  next_look_ = now + between_looks;
  return true;
}

/// Says good-bye once everything that the program has sent to others is handed over: by a word in shared memory, and by
/// a message to each peer that has asked. After some seconds also by a message to every other peer in contact.
void Departure::tell_who_waits() {
  if (!is_last() || (!good_bye_ && !nothing_comes_to_others())) return;
  if (!std::exchange(good_bye_, true))
    transports_.tell_end(farewell_ == proto::Farewell::of_process ? shm::exiting : shm::good_bye);
  const bool to_all = !told_all_ && Clock::now() - began_ >= patience;
  for_each_lane(lanes_, [&](proto::Engine& engine) { engine.farewells().say_good_bye(farewell_, to_all); });
  told_all_ = told_all_ || to_all;
}

bool Departure::abandons(proto::Engine& mine) {
  if (!is_time_to_look()) return false;
  tell_who_waits();
  const auto now = Clock::now();
  if (moves()) unchanged_since_ = now;
  if (now - unchanged_since_ < patience) return false;
  if (!std::exchange(said_, true)) {
    const std::string messages = left_over();
    if (messages.empty()) {  // what is left is the network's, which may not know yet that a peer has died
      log::info("{} has waited {} s for the network to send what it has taken", call_, patience.count());
    } else {
      log::warning("{} has waited {} s for messages that nobody has received: {}; receive or cancel them before {}",
                   call_, patience.count(), messages, call_);
    }
  }
  return is_last() && (transports_.end_together() || others_end(mine));
}

/// Whether anything of the waiting messages has been sent since the last call.
bool Departure::moves() {
  std::size_t amount = 0;
  for_each_lane(lanes_, [&](const proto::Engine& engine) {
    engine.requests().for_each_send([&](const proto::SendRequest& send) { amount += 1 + send.bytes - send.sent; });
  });
  return std::exchange(amount_, amount) != amount;
}

/// Whether everything that this process has sent to others is handed over, so that other processes receive nothing more
/// from this process, whatever they do.
bool Departure::nothing_comes_to_others() {
  bool nothing = true;
  for_each_lane(lanes_, [&](proto::Engine& engine) {
    nothing = nothing && engine.outbox().handed_over();
    engine.requests().for_each_send([&](const proto::SendRequest& send) { nothing = nothing && is_own(send); });
  });
  return nothing;
}

/// Whether all processes of this job, and of the jobs connected to it, are in MPI_Finalize too, or gone; false if not
/// all of them share memory with this process. A process that cannot be reached receives nothing, so it counts as gone.
bool Departure::others_end(proto::Engine& mine) {
  const std::vector<int> near = transports_.local_processes();
  const std::vector<int> all = this_process().jobs().processes();
  if (!std::ranges::includes(near, all)) return false;
  return std::ranges::all_of(all, [&](int process) {
    if (process == this_process().communicators().process()) return true;
    try {
      transport::Endpoint& endpoint = *mine.peer(process).endpoint;
      return endpoint.ends() || endpoint.lost();
    } catch (const Error& error) {
      log::info("{} receives nothing: {}", process_name(process), error.what());
      return true;
    }
  });
}

std::string Departure::left_over() {
  std::string text;
  std::size_t count = 0;
  for_each_lane(lanes_, [&](const proto::Engine& engine) {
    engine.requests().for_each_send([&](const proto::SendRequest& send) {
      if (count++ < most_described) text += (text.empty() ? "" : "; ") + in_words(send);
    });
  });
  if (count > most_described) text += fmt::format("; and {} more", count - most_described);
  return text;
}

std::string Departure::unreceived() {
  std::string text;
  std::size_t count = 0;
  for_each_lane(lanes_, [&](proto::Engine& engine) {
    engine.progress();  // what others have sent before their end
    engine.matching().for_each_unexpected([&](const proto::Unexpected& message) {
      const proto::Match match{message.header.context, message.header.source, message.header.tag};
      const bool of_program = proto::purpose_of(match.context) == proto::Purpose::point_to_point &&
                              !engine.liveness().directory()->outlives_finalize(match.context);
      if (!of_program || count++ >= most_described) return;
      text += fmt::format("{}{} bytes {}", text.empty() ? "" : "; ", message.bytes, match_in_words(engine, match));
    });
  });
  if (count == 0) return {};
  return fmt::format("{} {} not been received: {}{}", count == 1 ? "a message" : fmt::format("{} messages", count),
                     count == 1 ? "has" : "have", text,
                     count > most_described ? fmt::format("; and {} more", count - most_described) : "");
}

}  // namespace bowline::runtime
