// SPDX-License-Identifier: BSD-3-Clause
// Services: parts of the library that have messages of their own, of which the engine knows nothing. A service
// registers its kinds of messages, each with a handler, and hears of the peers that are lost.
//
//   form      A message has a prefix of fixed length and a body of bounded length. If a message has another form, the
//             engine refuses it before the handler sees it, and ends the connection to its sender.
//   order     Messages that a service tells a peer arrive in the order in which they were told. What is sent to that
//             peer later does not overtake them. They overtake sends, and parts of Engine::send_part, that wait for
//             room.
//   room      If there is no room at the peer, the message is copied and waits there: nothing is lost.
//   memory    The number of messages has no bound. A service that keeps messages for which nobody has asked bounds
//             their memory itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;
class Peer;
class Service;
struct Match;

/// The first kind of message that is not the engine's own. All processes of a job need the same kinds, so a service
/// names its kinds in its sources. Taken: 32 to 34 by partitioned communication.
inline constexpr Kind first_of_services{32};

/// The longest payload, prefix and body together, that Service::tell takes, in bytes. Every transport has room for it.
inline constexpr std::size_t longest_told = 1024;

/// A message that has arrived for a service. The spans are valid only during the call of its handler.
struct Arrival {
  int origin;             ///< world rank of the sender
  std::string_view kind;  ///< its name
  transport::Header header;
  std::span<const std::byte> prefix;
  std::span<const std::byte> body;

  /// The prefix; T has the length that the form demands.
  template <class T>
  T read() const noexcept {
    return read_prefix<T>(prefix);
  }
  /// To be thrown: `what` is wrong with it.
  Error wrong(const std::string& what) const;
};

/// A kind of messages of a service.
struct MessageKind {
  Kind kind;
  /// A prefix of no more than `max_prefix`. Messages that are longer than `longest_told` are sent by
  /// Engine::send_part.
  Form form;
  /// Deals with a message, in progress, under the lock of the lane. It may send and end requests. It must not wait,
  /// make progress, or call what the user has written. Each length and number in the message that it uses it checks
  /// first: the form is all that has been looked at. Throws Error or std::bad_alloc if the message cannot be dealt
  /// with: that ends the connection to its sender. Throws transport::NotYet (Engine::peer may) only before it has
  /// changed anything.
  void (*arrived)(Service& service, const Arrival& message);
};

/// Whether a lost peer ends what waits for a message from this world rank (or no_process) with this match.
using Doomed = std::function<bool(int origin, const Match& match)>;

/// One per engine. Used under the lock of the engine's lane.
class Service {
 public:
  /// `kinds` lives as long as the process.
  Service(Engine& engine, std::span<const MessageKind> kinds) noexcept : engine_(engine), kinds_(kinds) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::span<const MessageKind> kinds() const noexcept { return kinds_; }

  /// Sends a message of one of the service's kinds; all memory may be reused at once. One that does not have the form
  /// of its kind, or is longer than `longest_told`, is not sent: it breaks the connection off, as lack of memory does.
  /// `header`: the kind is entered here; context, source and tag count if the form says so.
  void tell(Peer& peer, Kind kind, transport::Header header, std::span<const std::byte> prefix,
            std::span<const std::byte> body = {}) noexcept;

  /// Whether an operation has begun here that ends only if somebody makes progress.
  virtual bool outstanding() const noexcept { return false; }
  /// Whether something waits for an answer of this peer.
  virtual bool awaits(const Peer&) const noexcept { return false; }
  /// Calls `action` with what every operation that waits for a message waits for.
  virtual void for_each_waiting(const std::function<void(const Match&)>&) const {}
  /// Nothing arrives at the peer any more: what waits for its answer fails. Called once or several times.
  virtual void unheard(const Peer&, const Failure&) noexcept {}
  /// Nothing more comes of a peer: what waits for messages that are doomed fails.
  virtual void unanswered(const Doomed&, const Failure&) noexcept {}

 protected:
  Engine& engine_;

 private:
  std::span<const MessageKind> kinds_;
};

/// The handler which calls this member function of the service.
template <class S, void (S::*member)(const Arrival&)>
void call(Service& service, const Arrival& message) {
  (static_cast<S&>(service).*member)(message);
}

/// The services of one engine, and which of them has which kind of message.
class Services {
 public:
  /// Before any message. Throws Error (MPI_ERR_INTERN) if a kind is the engine's or another service's already, or if
  /// its form cannot be.
  void add(std::unique_ptr<Service> service);

  /// The service that has this kind. Throws Error (MPI_ERR_INTERN) if none was added.
  Service& of(Kind kind) const;
  /// nullptr if no service has this kind.
  const Form* form_of(std::uint8_t kind) const noexcept {
    const Entry* const entry = find(kind);
    return entry == nullptr ? nullptr : &entry->kind->form;
  }
  /// Calls the handler. A service has this kind, and the message its form.
  void handle(int origin, transport::Header header, std::span<const std::byte> prefix,
              std::span<const std::byte> body) const;
  /// Calls `action` with every service.
  template <class Action>
  void for_each(Action action) const {
    for (const auto& service : services_) action(*service);
  }
  /// Whether `holds` of any.
  template <class Predicate>
  bool any(Predicate holds) const {
    return std::ranges::any_of(services_, [&](const auto& service) { return holds(*service); });
  }

 private:
  struct Entry {
    const MessageKind* kind = nullptr;
    Service* service = nullptr;
  };
  const Entry* find(std::uint8_t kind) const noexcept {
    const std::size_t place = std::size_t{kind} - static_cast<std::size_t>(first_of_services);
    return place < entries_.size() && entries_[place].kind != nullptr ? &entries_[place] : nullptr;
  }

  std::vector<std::unique_ptr<Service>> services_;
  std::vector<Entry> entries_;  ///< by kind, from `first_of_services` on
};

}  // namespace bowline::proto
