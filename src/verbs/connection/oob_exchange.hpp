// SPDX-License-Identifier: BSD-3-Clause
// OobExchange: the out-of-band exchange. It exchanges Handshakes with peers over TCP, so that each side knows the
// other's queue pair.
//
//   initiator                                 responder
//     Handshake  ---------------------------->  knows the queue pair, can receive on its own
//     can receive and send  <-----------------  Answer and Handshake
//     ready  -------------------------------->  can send
//
// If the initiator closes the TCP connection before it has sent `ready`, the responder begins an exchange of its own.
// So there is a TCP connection as long as a process knows the queue pair of a peer, but not whether that queue pair can
// receive.
//
// When two processes initiate exchanges with each other at the same time, both exchanges carry the same two Handshakes,
// so whichever ends first connects the same two queue pairs.
//
// Nothing here waits: progress() does what can be done at once. A responder answers when it next polls, so the
// initiator waits for the answer without limit; only a peer that refuses the TCP connection, or to which there is no
// route, counts as out of reach after `verbs_contact_patience` seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "verbs/connection/listening_socket.hpp"
#include "verbs/connection/oob_connection.hpp"
#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {

/// What an OobExchange asks of the device.
class OobHost {
 public:
  /// The Handshake for this peer, with the published address of this process behind it. Throws Error.
  virtual std::vector<std::byte> handshake_for(int peer) = 0;
  /// A peer has initiated an exchange. Returns the answer; if that is Answer::handshake, handshake_for(sender) is sent
  /// with it. Throws Error, and then the TCP connection to the initiator is closed.
  virtual Answer handshake_received(const Handshake& handshake, std::span<const std::byte> address) = 0;
  /// This peer has answered with its Handshake. Must not call forget(). Returns false if this process must initiate the
  /// exchange again, because it has another queue pair by now. Throws Error; the exchange is then initiated again with
  /// a peer that was connected before.
  virtual bool answer_received(int peer, const Handshake& handshake) = 0;
  /// The queue pair of an initiator can receive now.
  virtual void ready_is(int peer, std::uint32_t epoch) = 0;
  /// An initiator that was answered has closed the TCP connection without saying that its queue pair can receive.
  virtual void hung_up(int peer, std::uint32_t epoch) noexcept = 0;
  /// The exchange with this peer has failed for too long, or for a reason that does not pass.
  virtual void unreachable(int peer, const std::string& why) noexcept = 0;
  /// How long to try an exchange with a peer whose link has failed.
  virtual std::chrono::seconds patience() const noexcept = 0;
  /// A process of another version of Bowline has initiated an exchange.
  virtual void other_version_received(int peer, std::uint32_t version) noexcept = 0;

 protected:
  ~OobHost() = default;
};

class OobExchange {
 public:
  /// `cookie`: what this process has published; handshakes with another cookie are dropped. Throws Error.
  OobExchange(OobHost& host, std::uint64_t cookie);
  OobExchange(const OobExchange&) = delete;
  OobExchange& operator=(const OobExchange&) = delete;

  const ListeningSocket& listening() const noexcept { return listening_; }
  /// Becomes readable when progress() has something to do.
  int descriptor() const noexcept { return events_.number(); }
  /// Makes descriptor() readable also when `descriptor` is readable.
  void watch(int descriptor);
  /// News at this descriptor wake nobody any more.
  void unwatch(int descriptor) noexcept;

  /// Initiates an exchange with a peer, unless one is under way. `cookie`: the peer's. `again`: the peer was connected
  /// before, so it has ended if its host answers that nobody listens there.
  void contact(int peer, std::vector<SocketAddress> places, std::uint64_t cookie, bool again = false);
  /// Ends the exchange that this process has initiated with a peer. An exchange that the peer initiates is still
  /// answered.
  void forget(int peer) noexcept { contacts_.erase(peer); }
  /// Whether a peer that has initiated an exchange in this epoch may still say that its queue pair can receive.
  bool listens_to(int peer, std::uint32_t epoch) const noexcept;
  /// Whether an exchange needs progress() before descriptor() becomes readable. False while an answer is awaited.
  bool busy() const noexcept;

  /// Does what can be done without waiting.
  void progress() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  /// An exchange that this process has initiated.
  struct Contact {
    std::vector<SocketAddress> places;
    std::uint64_t cookie = 0;
    std::size_t next = 0;                       ///< place to be tried next
    std::unique_ptr<OobConnection> connection;  ///< the attempt under way
    Clock::time_point attempted;                ///< when the attempt began, or when the next one begins
    Clock::time_point first_failure;            ///< the first of the failures in a row
    bool failing = false;
    bool again = false;
    bool refused = true;  ///< whether all places have refused the connection in this round
  };

  void accept_all() noexcept;
  void go_on(int peer, Contact& contact);
  void try_next(int peer, Contact& contact);
  bool heard_answer(int peer, Contact& contact);
  void failed(int peer, Contact& contact, int error);
  void failed(int peer, Contact& contact, const std::string& why, bool refused = false);
  bool answer(OobConnection& connection);
  bool answer_handshake(OobConnection& connection);
  void progress_contacts() noexcept;
  void progress_accepted() noexcept;

  OobHost& host_;
  std::uint64_t cookie_;
  ListeningSocket listening_;
  Descriptor events_;
  std::map<int, Contact> contacts_;                     ///< by peer
  std::list<std::unique_ptr<OobConnection>> accepted_;  ///< from initiators
};

}  // namespace bowline::verbs
