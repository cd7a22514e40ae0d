// SPDX-License-Identifier: BSD-3-Clause
// Greeter: exchanges Hellos with peers over TCP, so that each side knows the other's queue pair.
//
//   greeting process                          greeted process
//     Hello  -------------------------------->  knows the queue pair, can receive on its own
//     can receive and send  <-----------------  Answer and Hello
//     ready  -------------------------------->  can send
//
// A process that hangs up before it has said `ready` is greeted by the other. So there is a conversation as long as a
// process knows the queue pair of a peer, but not whether that can receive.
//
// When two processes greet each other at the same time, both exchanges carry the same two Hellos, so whichever ends
// first connects the same two queue pairs.
//
// Nothing here waits: progress() does what can be done at once. A peer answers when it next polls, so the greeting
// process waits for the answer without limit; only a peer that refuses the connection, or to which there is no way,
// counts as out of reach after `verbs_contact_patience` seconds.
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

#include "verbs/connection/conversation.hpp"
#include "verbs/connection/listening_socket.hpp"
#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {

/// What the greeter asks of the device.
class GreetingHost {
 public:
  /// The Hello for this peer, with the published address of this process behind it. Throws Error.
  virtual std::vector<std::byte> hello_to(int peer) = 0;
  /// A peer greets. Returns the answer; if that is Answer::hello, hello_to(hello.sender) is sent with it. Throws Error,
  /// and then the connection to the greeting process is closed.
  virtual Answer greeted_by(const Hello& hello, std::span<const std::byte> address) = 0;
  /// This peer has answered with its Hello. Must not call forget(). Returns false if this process must greet again,
  /// because it has another queue pair by now. Throws Error; a peer that was connected before is greeted again then.
  virtual bool answered_by(int peer, const Hello& hello) = 0;
  /// The queue pair of a peer that has greeted can receive now.
  virtual void ready_is(int peer, std::uint32_t epoch) = 0;
  /// A peer that has greeted, and was answered, has ended the conversation without saying that its queue pair can
  /// receive.
  virtual void hung_up(int peer, std::uint32_t epoch) noexcept = 0;
  /// Greeting this peer has failed for too long, or for a reason that does not pass.
  virtual void unreachable(int peer, const std::string& why) noexcept = 0;
  /// How long to greet a peer again whose link has failed.
  virtual std::chrono::seconds patience() const noexcept = 0;
  /// A process of another version of Bowline greets.
  virtual void greeted_by_version(int peer, std::uint32_t version) noexcept = 0;

 protected:
  ~GreetingHost() = default;
};

class Greeter {
 public:
  /// `cookie`: what this process has published; greetings with another one are dropped. Throws Error.
  Greeter(GreetingHost& host, std::uint64_t cookie);
  Greeter(const Greeter&) = delete;
  Greeter& operator=(const Greeter&) = delete;

  const ListeningSocket& listening() const noexcept { return listening_; }
  /// Becomes readable when progress() has something to do.
  int descriptor() const noexcept { return events_.number(); }
  /// Also makes descriptor() readable when this one is.
  void watch(int descriptor);
  /// News at this descriptor wake nobody any more.
  void unwatch(int descriptor) noexcept;

  /// Begins to greet a peer, unless that is being done. `cookie`: its own. `again`: it was connected before, so it has
  /// ended if its host answers that nobody listens there.
  void greet(int peer, std::vector<SocketAddress> places, std::uint64_t cookie, bool again = false);
  /// Gives up greeting a peer; what it sends itself is still answered.
  void forget(int peer) noexcept { contacts_.erase(peer); }
  /// Whether a peer that has greeted in this epoch may still say that its queue pair can receive.
  bool listens_to(int peer, std::uint32_t epoch) const noexcept;
  /// Whether a greeting needs progress() before descriptor() becomes readable. Not while an answer is awaited.
  bool busy() const noexcept;

  /// Does what can be done without waiting.
  void progress() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  /// A peer that is being greeted.
  struct Contact {
    std::vector<SocketAddress> places;
    std::uint64_t cookie = 0;
    std::size_t next = 0;                ///< place to be tried next
    std::unique_ptr<Conversation> talk;  ///< the attempt under way
    Clock::time_point attempted;         ///< its begin, or the time of the next one
    Clock::time_point first_failure;     ///< of those in a row
    bool failing = false;
    bool again = false;
    bool refused = true;  ///< by all places in this round
  };

  void accept_all() noexcept;
  void go_on(int peer, Contact& contact);
  void try_next(int peer, Contact& contact);
  bool heard_answer(int peer, Contact& contact);
  void failed(int peer, Contact& contact, int error);
  void failed(int peer, Contact& contact, const std::string& why, bool refused = false);
  bool answer(Conversation& talk);
  bool answer_greeting(Conversation& talk);
  void progress_contacts() noexcept;
  void progress_guests() noexcept;

  GreetingHost& host_;
  std::uint64_t cookie_;
  ListeningSocket listening_;
  Descriptor events_;
  std::map<int, Contact> contacts_;                  ///< by peer
  std::list<std::unique_ptr<Conversation>> guests_;  ///< with processes that greet this one
};

}  // namespace bowline::verbs
