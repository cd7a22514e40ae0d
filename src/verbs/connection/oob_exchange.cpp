// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/oob_exchange.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

constexpr std::chrono::milliseconds between_rounds{50};
constexpr std::chrono::seconds longest_attempt{3};  // to connect; an answer may take longer
constexpr std::size_t most_accepted = 512;          // further connections wait in the kernel's queue
constexpr std::byte ready_word{'r'};

template <class T>
T read_front(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

/// The length of the Handshake at the front with the address behind it; 0 if a part of them is missing.
std::size_t whole_handshake(std::span<const std::byte> heard) {
  if (heard.size() < sizeof(Handshake)) return 0;
  const std::size_t all = sizeof(Handshake) + read_front<Handshake>(heard).address_bytes;
  return heard.size() < all ? 0 : all;
}

}  // namespace

OobExchange::OobExchange(OobHost& host, std::uint64_t cookie)
    : host_(host), cookie_(cookie), events_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!events_) throw Error(ErrorClass::other, fmt::format("epoll_create1 failed: {}", std::strerror(errno)));
  watch(listening_.descriptor());
}

void OobExchange::watch(int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw Error(ErrorClass::other, fmt::format("epoll_ctl failed: {}", std::strerror(errno)));
}

void OobExchange::unwatch(int descriptor) noexcept {
  epoll_ctl(events_.number(), EPOLL_CTL_DEL, descriptor, nullptr);  // fails only if the descriptor was not watched
}

void OobExchange::contact(int peer, std::vector<SocketAddress> places, std::uint64_t cookie, bool again) {
  contacts_.try_emplace(peer, Contact{.places = std::move(places),
                                      .cookie = cookie,
                                      .attempted = again ? Clock::now() + between_rounds : Clock::now(),
                                      .again = again});
}

bool OobExchange::busy() const noexcept {
  return std::ranges::any_of(contacts_, [](const auto& each) {
    return each.second.connection == nullptr || !each.second.connection->connected() ||
           !each.second.connection->all_said();
  });
}

bool OobExchange::listens_to(int peer, std::uint32_t epoch) const noexcept {
  return std::ranges::any_of(
      accepted_, [&](const auto& connection) { return connection->peer == peer && connection->epoch == epoch; });
}

void OobExchange::progress() noexcept {
  accept_all();
  progress_contacts();
  progress_accepted();
}

// ---- as the initiator

void OobExchange::progress_contacts() noexcept {
  for (auto place = contacts_.begin(); place != contacts_.end();) {
    const auto next = std::next(place);  // go_on() may forget this contact, and no other
    const int peer = place->first;
    try {
      go_on(peer, place->second);
    } catch (const std::exception& error) {
      contacts_.erase(peer);
      host_.unreachable(peer, error.what());
    }
    place = next;
  }
}

void OobExchange::go_on(int peer, Contact& contact) {
  const auto now = Clock::now();
  if (contact.connection == nullptr) {
    if (now >= contact.attempted) try_next(peer, contact);
    return;
  }
  OobConnection& connection = *contact.connection;
  connection.progress();
  if (heard_answer(peer, contact)) return;
  if (connection.error() != 0) return failed(peer, contact, connection.error());
  if (!connection.connected() && now - contact.attempted > longest_attempt) failed(peer, contact, ETIMEDOUT);
}

void OobExchange::try_next(int peer, Contact& contact) {
  if (contact.places.empty()) {
    contact.failing = true;
    throw Error(ErrorClass::other, "it has published no address of an IP network that this host could use");
  }
  contact.attempted = Clock::now();
  Descriptor socket = begin_connecting(contact.places[contact.next]);
  if (!socket) return failed(peer, contact, errno);
  watch(socket.number());
  contact.connection = std::make_unique<OobConnection>(std::move(socket), false);
  std::vector<std::byte> handshake = host_.handshake_for(peer);
  auto front = read_front<Handshake>(handshake);
  front.front.cookie = contact.cookie;
  std::memcpy(handshake.data(), &front, sizeof front);
  contact.connection->say(handshake);
}

/// Takes the answer if it is there; then `contact` may be gone.
bool OobExchange::heard_answer(int peer, Contact& contact) {
  OobConnection& connection = *contact.connection;
  const auto heard = connection.heard();
  if (heard.size() < sizeof(Answer)) return false;
  const auto answer = read_front<Answer>(heard);
  if (answer == Answer::not_yet) {
    contact.connection.reset();
    contact.failing = false;  // the peer lives
    contact.attempted = Clock::now() + between_rounds;
    return true;
  }
  const auto rest = heard.subspan(sizeof answer);
  if (answer == Answer::other_version) throw Error(ErrorClass::other, "it runs another version of Bowline");
  if (answer == Answer::over) throw Error(ErrorClass::other, "it has ended the connection from its side");
  if (answer != Answer::handshake) throw Error(ErrorClass::other, "its answer to a handshake is damaged");
  if (whole_handshake(rest) == 0) return false;
  bool is_connected = false;
  try {
    is_connected = host_.answer_received(peer, read_front<Handshake>(rest));
  } catch (const std::exception& error) {
    if (!contact.again) throw;
    failed(peer, contact, error.what());
    return true;
  }
  if (!is_connected) {
    contact.connection.reset();
    contact.attempted = Clock::now();
    return true;
  }
  connection.say(std::span(&ready_word, 1));
  connection.progress();  // there is always room for one byte
  contacts_.erase(peer);
  return true;
}

void OobExchange::failed(int peer, Contact& contact, int error) {
  const std::string why = fmt::format("{} at {}", std::strerror(error), to_text(contact.places[contact.next]));
  failed(peer, contact, why, error == ECONNREFUSED);
}

/// Tries the next place, after a pause once all places were tried.
void OobExchange::failed(int peer, Contact& contact, const std::string& why, bool refused) {
  const auto now = Clock::now();
  contact.refused = (contact.next == 0 || contact.refused) && refused;
  contact.connection.reset();
  if (!std::exchange(contact.failing, true)) contact.first_failure = now;
  contact.next = (contact.next + 1) % contact.places.size();
  contact.attempted = contact.next == 0 ? now + between_rounds : now;
  if (contact.next != 0) return;
  const bool has_ended = contact.again && contact.refused;
  const std::chrono::seconds patience =
      contact.again ? host_.patience() : std::chrono::seconds(contact_patience.value());
  if (!has_ended && now - contact.first_failure < patience) return;
  contacts_.erase(peer);
  host_.unreachable(peer, why);
}

// ---- as the responder

void OobExchange::accept_all() noexcept {
  try {
    while (accepted_.size() < most_accepted) {
      Descriptor socket = listening_.accept();
      if (!socket) return;
      watch(socket.number());
      accepted_.push_back(std::make_unique<OobConnection>(std::move(socket), true));
    }
  } catch (const std::exception& error) {
    log::warning("the handshake of a rank on another node is dropped; it will be repeated: {}", error.what());
  }
}

void OobExchange::progress_accepted() noexcept {
  for (auto place = accepted_.begin(); place != accepted_.end();) {
    OobConnection& connection = **place;
    bool ended = true;
    try {
      connection.progress();
      ended = answer(connection);
    } catch (const std::exception& error) {
      log::warning("the handshake of a rank on another node is dropped: {}", error.what());
    }
    if (!ended) {
      ++place;
      continue;
    }
    const int waits_for = connection.peer;
    const std::uint32_t epoch = connection.epoch;
    place = accepted_.erase(place);
    if (waits_for >= 0) host_.hung_up(waits_for, epoch);
  }
}

/// Answers what has been heard. Returns true at the end of the exchange; then `connection.peer` is the peer that should
/// have said that it can receive, and has not.
bool OobExchange::answer(OobConnection& connection) {
  if (connection.peer < 0 && answer_handshake(connection)) return true;
  // A fast peer says that it can receive, and closes the connection, before progress() of its answer returns.
  if (connection.peer < 0 || connection.heard().empty()) return connection.error() != 0;
  if (connection.heard().front() == ready_word) host_.ready_is(std::exchange(connection.peer, -1), connection.epoch);
  return true;
}

/// Answers the handshake once it has been heard completely. Returns true if that is the end of the exchange.
bool OobExchange::answer_handshake(OobConnection& connection) {
  if (connection.heard().size() < sizeof(HandshakeFront)) return false;
  const auto front = read_front<HandshakeFront>(connection.heard());
  if (front.magic != HandshakeFront().magic || front.cookie != cookie_)
    return true;  // the initiator is no process of this job
  if (connection.heard().size() < sizeof(Handshake)) return false;
  auto handshake = read_front<Handshake>(connection.heard());
  if (front.version != transport::wire_version) {
    host_.other_version_received(handshake.sender, front.version);
    connection.say(bytes_of(Answer::other_version));
    connection.progress();
    return true;
  }
  const std::size_t all = whole_handshake(connection.heard());
  if (all == 0) return false;
  const Answer answer =
      host_.handshake_received(handshake, connection.heard().subspan(sizeof handshake, handshake.address_bytes));
  connection.say(bytes_of(answer));
  if (answer != Answer::handshake) return connection.progress(), true;
  connection.peer = handshake.sender;
  connection.epoch = handshake.epoch;
  connection.say(host_.handshake_for(handshake.sender));
  connection.take(all);
  connection.progress();
  return false;
}

}  // namespace bowline::verbs
