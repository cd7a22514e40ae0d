// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/connection.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <exception>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals_blocked.hpp"

namespace bowline::wireup {
namespace {

MessageWriter call(RendezvousCall kind) {
  MessageWriter made;
  made.add(kind);
  return made;
}

RendezvousConnection::Keys read_keys(std::vector<std::byte> bytes) {
  RendezvousConnection::Keys keys;
  MessageReader reader(std::move(bytes));
  for (auto left = reader.take<std::uint64_t>(); left > 0; --left) {
    std::string key = reader.take_text();
    keys[std::move(key)] = reader.take_bytes();
  }
  return keys;
}

}  // namespace

RendezvousConnection::RendezvousConnection(Channel channel, std::string server, End end)
    : channel_(std::move(channel)), server_(std::move(server)), end_(std::move(end)) {
  const SignalsBlocked without_signals;
  thread_ = Thread([this] { listen(); });
}

RendezvousConnection::~RendezvousConnection() {
  channel_.shut_down();
  thread_.join();
}

void RendezvousConnection::listen() noexcept {
  try {
    do {
      while (std::optional<std::vector<std::byte>> message = channel_.next()) hear(MessageReader(*std::move(message)));
      pollfd readable{.fd = channel_.descriptor(), .events = POLLIN, .revents = 0};
      poll(&readable, 1, -1);
    } while (channel_.receive());
  } catch (const std::exception& error) {
    log::warning("the connection to the rendezvous at {} has ended: {}", server_, error.what());
  }
  const std::lock_guard hold(mutex_);
  gone_ = true;
  changed_.notify_all();
}

void RendezvousConnection::hear(MessageReader message) {
  std::unique_lock hold(mutex_);
  switch (message.take<RendezvousAnswer>()) {
    case RendezvousAnswer::published:
      published_ = message.take_text();
      break;
    case RendezvousAnswer::keys: {
      const int rank = message.take<int>();
      const bool published = message.take<std::uint8_t>() != 0;
      known_[rank] = published ? std::optional(read_keys(message.take_bytes())) : std::nullopt;
      break;
    }
    case RendezvousAnswer::done:
      done_ = true;
      break;
    case RendezvousAnswer::end: {
      hold.unlock();
      const int status = message.take<int>();
      return end_(status, message.take_text());
    }
    default:
      break;
  }
  changed_.notify_all();
}

bool RendezvousConnection::send(const MessageWriter& message) {
  const std::lock_guard hold(sending_);
  channel_.add(message);
  while (channel_.flush()) {
    if (!channel_.has_output()) return true;
    pollfd writable{.fd = channel_.descriptor(), .events = POLLOUT, .revents = 0};
    poll(&writable, 1, -1);
  }
  return false;
}

void RendezvousConnection::fail() const {
  throw Error(ErrorClass::other, fmt::format("the process that serves the rendezvous at {} has ended before this one, "
                                             "and nobody else knows what other ranks have published",
                                             server_));
}

void RendezvousConnection::publish(const Keys& keys) {
  MessageWriter all;
  all.add(static_cast<std::uint64_t>(keys.size()));
  for (const auto& [key, value] : keys) all.add(key).add(std::span<const std::byte>(value));
  if (!send(call(RendezvousCall::publish).add(all.bytes()))) fail();
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [this] { return published_.has_value() || gone_; });
  if (!published_.has_value()) fail();
  if (!published_->empty()) throw Error(ErrorClass::other, *published_);
}

void RendezvousConnection::ask(int rank) {
  {
    const std::lock_guard hold(mutex_);
    if (gone_ || known_.contains(rank) || !asked_.try_emplace(rank, true).second) return;
  }
  send(call(RendezvousCall::keys).add(rank));
}

bool RendezvousConnection::knows(int rank) {
  const std::lock_guard hold(mutex_);
  const auto found = known_.find(rank);
  return found != known_.end() && found->second.has_value();
}

RendezvousConnection::Keys RendezvousConnection::keys_of(int rank, std::chrono::seconds patience) {
  ask(rank);
  std::unique_lock hold(mutex_);
  const bool answered = changed_.wait_for(hold, patience, [&] { return known_.contains(rank) || gone_; });
  if (!answered) {
    throw Error(ErrorClass::other, fmt::format("rank {} has not come so far in MPI_Init in {} s; "
                                               "BOWLINE_RENDEZVOUS_TIMEOUT sets this limit",
                                               rank, patience.count()));
  }
  const auto found = known_.find(rank);
  if (found == known_.end()) fail();
  if (!found->second.has_value())
    throw Error(ErrorClass::other, fmt::format("rank {} has ended before its MPI_Init was over", rank));
  return *found->second;
}

void RendezvousConnection::abort(int status, const std::string& text, const std::vector<int>& ranks) {
  {
    const std::lock_guard hold(mutex_);
    done_ = false;
  }
  if (!send(call(RendezvousCall::abort).add(status).add(std::string_view(text)).add_list(ranks))) return;
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [this] { return done_ || gone_; });
}

void RendezvousConnection::finalize() {
  bool was_over = false;
  {
    const std::lock_guard hold(mutex_);
    done_ = false;
    was_over = std::exchange(finalized_, true);
  }
  const bool sent = send(call(RendezvousCall::finalize));
  std::unique_lock hold(mutex_);
  if (sent) changed_.wait(hold, [this] { return done_ || gone_; });
  if (!done_ && !was_over) fail();
}

void RendezvousConnection::go_on() {
  send(call(RendezvousCall::go_on));
}

}  // namespace bowline::wireup
