// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/server.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/signals_blocked.hpp"

namespace bowline::wireup {
namespace {

constexpr std::chrono::seconds time_to_greet{10};
constexpr std::chrono::milliseconds time_without_descriptors{200};

}  // namespace

RendezvousServer::RendezvousServer(int listener, const RendezvousLine& line, std::string version,
                                   std::chrono::seconds patience)
    : listener_(listener),
      bell_(eventfd(0, EFD_CLOEXEC)),
      patience_(patience),
      gives_up_(Clock::now() + patience),
      exchange_(line, std::move(version), [this](int guest, const MessageWriter& message) { send(guest, message); }) {
  if (bell_ < 0) throw Error(ErrorClass::other, "no rendezvous can be served: there are no more descriptors");
  const SignalsBlocked without_signals;
  thread_ = Thread([this] { serve(); });
}

RendezvousServer::~RendezvousServer() {
  eventfd_write(bell_, 1);
  thread_.join();
  close(bell_);
  if (listener_ >= 0) close(listener_);
}

void RendezvousServer::serve() noexcept {
  try {
    while (!stops_) {
      wait();
      tend();
      part_with_the_unwelcome();
    }
  } catch (const std::exception& error) {
    log::error("the server of the rendezvous has ended: {}", error.what());
  }
  guests_.clear();
}

/// Waits for the next event, and takes what has arrived.
void RendezvousServer::wait() {
  std::vector<pollfd> watched{{.fd = bell_, .events = POLLIN, .revents = 0},
                              {.fd = full_ ? -1 : listener_, .events = POLLIN, .revents = 0}};
  std::vector<int> numbers;
  for (const auto& [number, guest] : guests_) {
    const short events = guest.channel.has_output() ? POLLIN | POLLOUT : POLLIN;
    watched.push_back({.fd = guest.channel.descriptor(), .events = events, .revents = 0});
    numbers.push_back(number);
  }
  const int ready = poll(watched.data(), watched.size(), time_to_wait());
  full_ = false;
  if (ready <= 0) return;
  stops_ = watched[0].revents != 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const short events = watched[i + 2].revents;
    Guest& guest = guests_.at(numbers[i]);
    if ((events & POLLOUT) != 0 && !guest.channel.flush()) guest.unwelcome = true;
    if ((events & ~POLLOUT) != 0) listen_to(numbers[i], guest);
  }
  if (watched[1].revents != 0) admit();
}

/// Milliseconds until something is due; negative: nothing is.
int RendezvousServer::time_to_wait() const {
  std::optional<Clock::time_point> first = exchange_.next_tick();
  const auto consider = [&first](Clock::time_point time) { first = std::min(first.value_or(time), time); };
  if (!exchange_.started() && !gave_up_) consider(gives_up_);
  if (full_) consider(Clock::now() + time_without_descriptors);
  for (const auto& [number, guest] : guests_) {
    if (!guest.known) consider(guest.until);
  }
  if (!first.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000 * 1000));
}

/// Accepts one TCP connection.
void RendezvousServer::admit() {
  const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  full_ = descriptor < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
  if (full_ && !std::exchange(told_, true))
    log::warning("the rendezvous cannot let another process in: {}; raise ulimit -n", strerror(errno));
  if (descriptor < 0) return;
  guests_.emplace(guests_so_far_++,
                  Guest{.channel = Channel(descriptor, longest_hello), .until = Clock::now() + time_to_greet});
}

void RendezvousServer::listen_to(int number, Guest& guest) {
  try {
    if (!guest.channel.receive()) guest.unwelcome = true;
    while (!guest.unwelcome) {
      std::optional<std::vector<std::byte>> message = guest.channel.next();
      if (!message) break;
      if (guest.known) {
        exchange_.hear(number, *std::move(message));
      } else {
        guest.known = exchange_.greet(number, *std::move(message));
        guest.unwelcome = guest.unwelcome || !guest.known;
        guest.channel.allow(longest_rendezvous_message);
      }
    }
  } catch (const Error&) {  // no process of a rendezvous says that
    guest.unwelcome = true;
  }
}

/// A guest that cannot take the message is found gone when it is listened to.
void RendezvousServer::send(int number, const MessageWriter& message) {
  const auto guest = guests_.find(number);
  if (guest == guests_.end() || guest->second.unwelcome) return;
  guest->second.channel.add(message);
  if (!guest->second.channel.flush()) guest->second.unwelcome = true;
}

/// Does what is due.
void RendezvousServer::tend() {
  const auto now = Clock::now();
  exchange_.tick(now);
  if (!exchange_.started() && !gave_up_ && now >= gives_up_) {
    gave_up_ = true;
    exchange_.give_up(patience_);
  }
  for (auto& [number, guest] : guests_) {
    if (!guest.known && now >= guest.until) guest.unwelcome = true;
  }
  if (exchange_.over() && listener_ >= 0) close(std::exchange(listener_, -1));
}

/// What the exchange tells the others of a departure may show that more are gone.
void RendezvousServer::part_with_the_unwelcome() {
  const auto unwelcome = [](const auto& entry) { return entry.second.unwelcome; };
  for (auto each = guests_.begin(); (each = std::ranges::find_if(guests_, unwelcome)) != guests_.end();) {
    const int number = each->first;
    const bool known = each->second.known;
    guests_.erase(each);
    if (known) exchange_.left(number);
  }
}

}  // namespace bowline::wireup
