// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/greeter.hpp"

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
constexpr std::size_t most_guests = 512;            // the others wait in the kernel's queue
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

/// The length of the Hello at the front with the address behind it; 0 if not all of it is there.
std::size_t whole_hello(std::span<const std::byte> heard) {
  if (heard.size() < sizeof(Hello)) return 0;
  const std::size_t all = sizeof(Hello) + read_front<Hello>(heard).address_bytes;
  return heard.size() < all ? 0 : all;
}

}  // namespace

Greeter::Greeter(GreetingHost& host, std::uint64_t cookie)
    : host_(host), cookie_(cookie), events_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!events_) throw Error(ErrorClass::other, fmt::format("epoll_create1 failed: {}", std::strerror(errno)));
  watch(listening_.descriptor());
}

void Greeter::watch(int descriptor) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0)
    throw Error(ErrorClass::other, fmt::format("epoll_ctl failed: {}", std::strerror(errno)));
}

void Greeter::unwatch(int descriptor) noexcept {
  epoll_ctl(events_.number(), EPOLL_CTL_DEL, descriptor, nullptr);  // fails only if it was not watched
}

void Greeter::greet(int peer, std::vector<SocketAddress> places, std::uint64_t cookie, bool again) {
  contacts_.try_emplace(peer, Contact{.places = std::move(places),
                                      .cookie = cookie,
                                      .attempted = again ? Clock::now() + between_rounds : Clock::now(),
                                      .again = again});
}

bool Greeter::busy() const noexcept {
  return std::ranges::any_of(contacts_, [](const auto& each) {
    return each.second.talk == nullptr || !each.second.talk->connected() || !each.second.talk->all_said();
  });
}

bool Greeter::listens_to(int peer, std::uint32_t epoch) const noexcept {
  return std::ranges::any_of(guests_, [&](const auto& talk) { return talk->peer == peer && talk->epoch == epoch; });
}

void Greeter::progress() noexcept {
  accept_all();
  progress_contacts();
  progress_guests();
}

// ---- greeting

void Greeter::progress_contacts() noexcept {
  for (auto place = contacts_.begin(); place != contacts_.end();) {
    const auto next = std::next(place);  // what follows may forget this contact, and no other
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

void Greeter::go_on(int peer, Contact& contact) {
  const auto now = Clock::now();
  if (contact.talk == nullptr) {
    if (now >= contact.attempted) try_next(peer, contact);
    return;
  }
  Conversation& talk = *contact.talk;
  talk.progress();
  if (heard_answer(peer, contact)) return;
  if (talk.error() != 0) return failed(peer, contact, talk.error());
  if (!talk.connected() && now - contact.attempted > longest_attempt) failed(peer, contact, ETIMEDOUT);
}

void Greeter::try_next(int peer, Contact& contact) {
  if (contact.places.empty()) {
    contact.failing = true;
    throw Error(ErrorClass::other, "it has published no address of an IP network that this host could use");
  }
  contact.attempted = Clock::now();
  Descriptor socket = begin_connecting(contact.places[contact.next]);
  if (!socket) return failed(peer, contact, errno);
  watch(socket.number());
  contact.talk = std::make_unique<Conversation>(std::move(socket), false);
  std::vector<std::byte> hello = host_.hello_to(peer);
  auto greeting = read_front<Hello>(hello);
  greeting.front.cookie = contact.cookie;
  std::memcpy(hello.data(), &greeting, sizeof greeting);
  contact.talk->say(hello);
}

/// Takes the answer if it is there; then `contact` may be gone.
bool Greeter::heard_answer(int peer, Contact& contact) {
  Conversation& talk = *contact.talk;
  const auto heard = talk.heard();
  if (heard.size() < sizeof(Answer)) return false;
  const auto answer = read_front<Answer>(heard);
  if (answer == Answer::not_yet) {
    contact.talk.reset();
    contact.failing = false;  // it lives
    contact.attempted = Clock::now() + between_rounds;
    return true;
  }
  const auto rest = heard.subspan(sizeof answer);
  if (answer == Answer::other_version) throw Error(ErrorClass::other, "it runs another version of Bowline");
  if (answer == Answer::over) throw Error(ErrorClass::other, "it has ended the connection from its side");
  if (answer != Answer::hello) throw Error(ErrorClass::other, "its answer to a greeting is damaged");
  if (whole_hello(rest) == 0) return false;
  bool is_connected = false;
  try {
    is_connected = host_.answered_by(peer, read_front<Hello>(rest));
  } catch (const std::exception& error) {
    if (!contact.again) throw;
    failed(peer, contact, error.what());
    return true;
  }
  if (!is_connected) {
    contact.talk.reset();
    contact.attempted = Clock::now();
    return true;
  }
  talk.say(std::span(&ready_word, 1));
  talk.progress();  // one byte always has room
  contacts_.erase(peer);
  return true;
}

void Greeter::failed(int peer, Contact& contact, int error) {
  const std::string why = fmt::format("{} at {}", std::strerror(error), to_text(contact.places[contact.next]));
  failed(peer, contact, why, error == ECONNREFUSED);
}

/// Tries the next place, after a pause once all were tried.
void Greeter::failed(int peer, Contact& contact, const std::string& why, bool refused) {
  const auto now = Clock::now();
  contact.refused = (contact.next == 0 || contact.refused) && refused;
  contact.talk.reset();
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

// ---- being greeted

void Greeter::accept_all() noexcept {
  try {
    while (guests_.size() < most_guests) {
      Descriptor socket = listening_.accept();
      if (!socket) return;
      watch(socket.number());
      guests_.push_back(std::make_unique<Conversation>(std::move(socket), true));
    }
  } catch (const std::exception& error) {
    log::warning("a greeting of a rank on another node is dropped; it will be repeated: {}", error.what());
  }
}

void Greeter::progress_guests() noexcept {
  for (auto place = guests_.begin(); place != guests_.end();) {
    Conversation& talk = **place;
    bool ended = true;
    try {
      talk.progress();
      ended = answer(talk);
    } catch (const std::exception& error) {
      log::warning("a greeting of a rank on another node is dropped: {}", error.what());
    }
    if (!ended) {
      ++place;
      continue;
    }
    const int waits_for = talk.peer;
    const std::uint32_t epoch = talk.epoch;
    place = guests_.erase(place);
    if (waits_for >= 0) host_.hung_up(waits_for, epoch);
  }
}

/// Answers what has been heard. Returns true at the end of the conversation; then `talk.peer` is the peer that should
/// have said that it can receive, and has not.
bool Greeter::answer(Conversation& talk) {
  if (talk.peer < 0 && answer_greeting(talk)) return true;
  // A fast peer says that it can receive, and ends the conversation, before progress() of its answer returns.
  if (talk.peer < 0 || talk.heard().empty()) return talk.error() != 0;
  if (talk.heard().front() == ready_word) host_.ready_is(std::exchange(talk.peer, -1), talk.epoch);
  return true;
}

/// Answers the greeting once it has been heard. Returns true if that is the end of the conversation.
bool Greeter::answer_greeting(Conversation& talk) {
  if (talk.heard().size() < sizeof(GreetingFront)) return false;
  const auto front = read_front<GreetingFront>(talk.heard());
  if (front.magic != GreetingFront().magic || front.cookie != cookie_) return true;  // none of this job
  if (talk.heard().size() < sizeof(Hello)) return false;
  auto hello = read_front<Hello>(talk.heard());
  if (front.version != transport::wire_version) {
    host_.greeted_by_version(hello.sender, front.version);
    talk.say(bytes_of(Answer::other_version));
    talk.progress();
    return true;
  }
  const std::size_t all = whole_hello(talk.heard());
  if (all == 0) return false;
  const Answer answer = host_.greeted_by(hello, talk.heard().subspan(sizeof hello, hello.address_bytes));
  talk.say(bytes_of(answer));
  if (answer != Answer::hello) return talk.progress(), true;
  talk.peer = hello.sender;
  talk.epoch = hello.epoch;
  talk.say(host_.hello_to(hello.sender));
  talk.take(all);
  talk.progress();
  return false;
}

}  // namespace bowline::verbs
