// SPDX-License-Identifier: BSD-3-Clause
// Services: parts of the library that have messages of their own. A service registers its kinds of messages, each with
// a handler. The engine calls the handlers and notifies the service when a peer is lost. The engine's own parts, such
// as matching and the rendezvous, are services like the others.
//
//   form      A message has a prefix of fixed length and a body of bounded length. The engine refuses a message of any
//             other form before the handler sees it, and closes the connection to its sender.
//   order     Messages that a service sends to a peer with tell() arrive in that order. Later messages to that peer do
//             not overtake them. They overtake sends, and parts of Engine::send_part, that wait for room.
//   room      If the transport has no room, the message is copied and waits at the peer; no message is lost.
//   memory    The number of messages is not bounded. A service that keeps messages before they are needed must bound
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
#include "proto/checks.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;
class Peer;
class Service;
struct Match;

// All processes of a job need the same kinds, so a service names its kinds in its sources. Taken: 0 to 18 by the parts
// of the engine (wire.hpp), 32 to 36 by partitioned communication, 40 to 54 by one-sided communication, 56 to 57 by the
// search for addresses, 64 to 65 by shared file pointers,
// 66 to 70 by the search for what waits for ever, 72 to 74 by what follows a failure (comm/survival/).

/// The longest payload, prefix and body together, that Service::tell takes, in bytes. Every transport has room for it.
inline constexpr std::size_t longest_told = transport::least_max_body;

/// A message that has arrived for a service. The spans are valid only during the call of its handler.
struct Arrival {
  int origin;             ///< process index of the sender
  std::string_view kind;  ///< its name
  transport::Header header;
  std::span<const std::byte> prefix;
  std::span<const std::byte> body;

  /// The prefix; T has the length that the form demands.
  template <class T>
  T read() const noexcept {
    return read_prefix<T>(prefix);
  }
  /// The error to throw: `what` is wrong with the message.
  Error wrong(const std::string& what) const { return wrong_message(origin, kind, what); }
};

/// A kind of messages of a service.
struct MessageKind {
  Kind kind;
  /// A prefix of no more than `max_prefix`. Messages that are longer than `longest_told` are sent by
  /// Engine::send_part.
  Form form;
  /// Processes a message, in progress, under the lock of the lane. It may send and complete requests. It must not wait,
  /// make progress, or call functions of the user. The engine has checked the form only, so the handler checks each
  /// length and number before it uses it. Throws Error or std::bad_alloc if it cannot process the message, which closes
  /// the connection to the sender. Throws transport::NotYet (as Engine::peer may) only before it has changed anything.
  void (*arrived)(Service& service, const Arrival& message);
};

/// Whether the loss of a peer fails an operation that waits for a message with this match, from the process with index
/// `origin`; negative if only the match tells the process.
using Doomed = std::function<bool(int origin, const Match& match)>;

/// One per engine. Used under the lock of the engine's lane.
class Service {
 public:
  /// `kinds` must live as long as the process.
  Service(Engine& engine, std::span<const MessageKind> kinds) noexcept : engine_(engine), kinds_(kinds) {}
  virtual ~Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  std::span<const MessageKind> kinds() const noexcept { return kinds_; }

  /// Sends a message of one of the service's kinds. The caller may reuse all memory at once. A message that does not
  /// have the form of its kind, or is longer than `longest_told`, is not sent and closes the connection; so does lack
  /// of memory. `header`: the kind is entered here; context, source and tag are valid if the form says so.
  void tell(Peer& peer, Kind kind, transport::Header header, std::span<const std::byte> prefix,
            std::span<const std::byte> body = {}) noexcept;

  /// Whether an operation is pending here that completes only if some thread makes progress.
  virtual bool outstanding() const noexcept { return false; }
  /// Whether an operation waits for an answer of this peer.
  virtual bool awaits(const Peer&) const noexcept { return false; }
  /// Calls `action` with the match of every operation that waits for a message, and with the index of the process that
  /// sends it if only the operation knows that, else -1.
  virtual void for_each_waiting(const std::function<void(const Match&, int process)>&) {}
  /// The peer receives no messages any more: operations that wait for its answer fail. Called once or several times.
  virtual void unheard(const Peer&, const Failure&) noexcept {}
  /// No message of a peer arrives any more: operations that wait for doomed messages fail.
  virtual void unanswered(const Doomed&, const Failure&) noexcept {}
  /// The communicator with this context, whatever the purpose, is interrupted: all its operations of this process fail,
  /// pending ones and later ones. Throws std::bad_alloc; the call may then be repeated.
  virtual void interrupted(std::uint32_t, const Failure&) {}
  /// A waiting call has looked for lost peers.
  virtual void checked() noexcept {}
  /// No communicator uses the context any more, and no request of it exists.
  virtual void forget(std::uint32_t) noexcept {}

 protected:
  Engine& engine_;

 private:
  std::span<const MessageKind> kinds_;
};

/// The handler that calls this member function of the service.
template <class S, void (S::*member)(const Arrival&)>
void call(Service& service, const Arrival& message) {
  (static_cast<S&>(service).*member)(message);
}

/// The services of one engine, and their kinds of messages.
class Services {
 public:
  /// Call before any message arrives. Throws Error (MPI_ERR_INTERN) if a kind already belongs to another service, or if
  /// its form is not allowed.
  void add(std::unique_ptr<Service> service);
  /// Adds a service that outlives this object; otherwise like the function above.
  void add(Service& service);

  /// The service that has this kind. Throws Error (MPI_ERR_INTERN) if none was added.
  Service& of(Kind kind) const;
  /// The form of this kind; nullptr if no service has the kind.
  const Form* form_of(std::uint8_t kind) const noexcept {
    const Entry* const entry = find(kind);
    return entry == nullptr ? nullptr : &entry->kind->form;
  }
  /// The form of this kind; nullptr if service `s` does not have the kind.
  const Form* form_of(std::uint8_t kind, const Service& service) const noexcept {
    const Entry* const entry = find(kind);
    return entry == nullptr || entry->service != &service ? nullptr : &entry->kind->form;
  }
  /// Calls the handler of a message that has arrived. Throws Error if no service has its kind, if the message does not
  /// have the form of its kind, or if its source is not below `processes` where the form has one; and what the handler
  /// throws.
  void handle(int processes, int origin, transport::Header header, std::span<const std::byte> prefix,
              std::span<const std::byte> body) const;
  /// Calls `action` with every service.
  template <class Action>
  void for_each(Action action) const {
    for (Service* const service : services_) action(*service);
  }
  /// Whether `holds` is true of any service.
  template <class Predicate>
  bool any(Predicate holds) const {
    return std::ranges::any_of(services_, [&](Service* service) { return holds(*service); });
  }

 private:
  struct Entry {
    const MessageKind* kind = nullptr;
    Service* service = nullptr;
  };
  const Entry* find(std::uint8_t kind) const noexcept {
    return kind < entries_.size() && entries_[kind].kind != nullptr ? &entries_[kind] : nullptr;
  }

  std::vector<Service*> services_;
  std::vector<std::unique_ptr<Service>> owned_;
  std::vector<Entry> entries_;  ///< by kind
};

}  // namespace bowline::proto
