// SPDX-License-Identifier: BSD-3-Clause
// Both processes execute the same sequence of exchanges: measure() is their common program. The parent tells the times.
#include "launcher/info/measured_pair.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/lock.hpp"
#include "dtype/predefined.hpp"
#include "node/handover.hpp"
#include "node/host.hpp"
#include "node/placement.hpp"
#include "proto/engine.hpp"
#include "proto/in_words.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"

namespace bowline::launcher {
namespace {

using proto::Path;

constexpr std::array<std::size_t, 5> measured_lengths{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
constexpr std::uint32_t context = proto::make_context(1, 0, proto::Purpose::point_to_point);
constexpr double time_of_measurement = 3e6;  // nanoseconds
constexpr int most_messages = 200;
constexpr int messages_in_row = 16;

double now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

Error system_error(const char* what) {
  return {ErrorClass::other, fmt::format("{} on {}: {}", what, node::host_name(), std::strerror(errno))};
}

/// One of the two ranks.
class Rank {
 public:
  /// `other`: a socket to the other process.
  Rank(int rank, int other)
      : rank_(rank),
        socket_(other),
        inbox_(2, 1),
        device_(inbox_, 0, rank, {0, 1}),
        engine_(
            2, [this](int peer) { return device_.connect(peer, other_address_); },
            WaitPolicy::make({.ranks = 2, .cores = static_cast<std::size_t>(node::usable_cores())}), lock_) {
    engine_.add_device(device_);
    const transport::Address mine = device_.address();
    other_address_.resize(mine.size());
    if (write(other, mine.data(), mine.size()) != static_cast<ssize_t>(mine.size()) ||
        recv(other, other_address_.data(), mine.size(), MSG_WAITALL) != static_cast<ssize_t>(mine.size()))
      throw system_error("two processes cannot exchange their addresses");
  }

  MeasuredPair measure() {
    MeasuredPair result;
    node::move_to_preferred_core(static_cast<std::size_t>(rank_));
    exchange(0);
    for (const std::size_t bytes : measured_lengths) {
      MeasuredLength& measured = result.lengths.emplace_back(MeasuredLength{.bytes = bytes});
      mine_.resize(bytes);
      theirs_.resize(bytes);
      for (const Path path : proto::all_paths) {
        if (proto::is_by_kernel(path) && !has_single_copy()) continue;
        engine_.rendezvous().paths().pin(path);
        measured.alone[proto::index_of(path)] = time_alone() / 1e3;
        measured.in_row[proto::index_of(path)] = static_cast<double>(bytes) / time_in_row();
      }
    }
    send(mine_, 0);
    receive(theirs_, 0);  // so that neither rank leaves early
    return result;
  }

 private:
  int other() const { return 1 - rank_; }
  bool has_single_copy() { return engine_.peer(other()).endpoint->limits().single_copy_from != transport::never; }
  proto::Request& begin_send(std::vector<std::byte>& from, std::size_t bytes) {
    return engine_.isend(other(), {.context = context, .source = rank_, .tag = 0},
                         {from.data(), bytes, &dtype::byte_type()});
  }
  proto::Request& begin_receive(std::vector<std::byte>& to, std::size_t bytes) {
    return engine_.ireceive({context, other(), 0}, {to.data(), bytes, &dtype::byte_type()});
  }
  void end(proto::Request& request) {
    unsigned polls = 0;
    constexpr unsigned polls_per_look = 1 << 14;
    bool gone = false;
    const auto over = [&] { return request.done || (gone = ++polls % polls_per_look == 0 && other_has_ended()); };
    engine_.wait_until(over, {&proto::request_awaited, &request});
    if (gone) throw Error(ErrorClass::other, "the process with which messages were to be measured has ended");
    engine_.release(request);
  }
  bool other_has_ended() const {
    std::byte nothing{};
    return recv(socket_, &nothing, sizeof nothing, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  void send(std::vector<std::byte>& from, std::size_t bytes) { end(begin_send(from, bytes)); }
  void receive(std::vector<std::byte>& to, std::size_t bytes) { end(begin_receive(to, bytes)); }

  /// A number that rank 0 tells rank 1.
  int told(int number) {
    std::vector<std::byte> bytes(sizeof number);
    if (rank_ == 0) std::memcpy(bytes.data(), &number, sizeof number);
    rank_ == 0 ? send(bytes, sizeof number) : receive(bytes, sizeof number);
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }

  /// There and back.
  void exchange(std::size_t bytes) {
    if (rank_ == 0) send(mine_, bytes);
    receive(theirs_, bytes);
    if (rank_ == 1) send(mine_, bytes);
  }
  /// Nanoseconds of a message one way.
  double time_alone() {
    const std::size_t bytes = mine_.size();
    double begin = now();
    for (int i = 0; i < 3; ++i) exchange(bytes);
    const int count = told(std::clamp(static_cast<int>(3 * time_of_measurement / (now() - begin)), 5, most_messages));
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
      begin = now();
      exchange(bytes);
      times.push_back((now() - begin) / 2);
    }
    return median(times);
  }

  /// A row of messages from rank 1, and an answer.
  void exchange_row(std::size_t bytes) {
    std::array<proto::Request*, messages_in_row> requests{};
    for (auto& each : requests) each = rank_ == 0 ? &begin_receive(theirs_, bytes) : &begin_send(mine_, bytes);
    for (auto* const each : requests) end(*each);
    rank_ == 0 ? send(mine_, 0) : receive(theirs_, 0);
  }
  /// Nanoseconds of a message of the row.
  double time_in_row() {
    const std::size_t bytes = mine_.size();
    double begin = now();
    exchange_row(bytes);
    const int count = told(std::clamp(static_cast<int>(time_of_measurement / (now() - begin)), 3, most_messages));
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
      begin = now();
      exchange_row(bytes);
      times.push_back((now() - begin) / messages_in_row);
    }
    return median(times);
  }

  int rank_;
  int socket_;  ///< to the other rank; the caller owns it
  OwnerLock lock_;
  shm::Inbox inbox_;
  shm::ShmDevice device_;
  transport::Address other_address_;
  proto::Engine engine_;
  std::vector<std::byte> mine_, theirs_;
};

[[noreturn]] void be_the_child(int parent) {
  try {
    Rank(1, parent).measure();
    _exit(0);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bowline-info: {}\n", error.what());
    _exit(1);
  }
}

}  // namespace

MeasuredPair measure_pair() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) throw system_error("no socket can be made");
  node::Descriptor mine(sockets[0]);
  node::Descriptor theirs(sockets[1]);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw system_error("no process can be made");
  if (child == 0) {
    mine = {};  // otherwise the child would hold its own connection open, and not see that the parent has ended
    be_the_child(theirs.number());
  }
  theirs = {};
  const struct Child {
    ~Child() { waitpid(process, nullptr, 0); }
    pid_t process;
  } ended{child};
  return Rank(0, mine.number()).measure();
}

}  // namespace bowline::launcher
