// SPDX-License-Identifier: BSD-3-Clause
// RendezvousServer: a thread of one process of a rendezvous, to which all its processes are connected.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/thread.hpp"
#include "wireup/rendezvous/channel.hpp"
#include "wireup/rendezvous/exchange.hpp"
#include "wireup/rendezvous/line.hpp"

namespace bowline::wireup {

/// Strangers do not disturb it: who says nothing for ten seconds, or anything that no process of a rendezvous says, is
/// disconnected.
class RendezvousServer {
 public:
  /// `listener`: a listening socket, which the server closes when the world is over. The server refuses all processes
  /// if they are not complete after `patience`. Throws Error.
  RendezvousServer(int listener, const RendezvousLine& line, std::string version, std::chrono::seconds patience);
  /// Ends the thread and closes all connections.
  ~RendezvousServer();
  RendezvousServer(const RendezvousServer&) = delete;
  RendezvousServer& operator=(const RendezvousServer&) = delete;

 private:
  using Clock = Exchange::Clock;
  struct Guest {
    Channel channel;
    Clock::time_point until;  ///< it must have said who it is
    bool known = false;       ///< it belongs to the world
    bool unwelcome = false;   ///< to be disconnected
  };

  void serve() noexcept;
  void wait();
  void admit();
  void listen_to(int number, Guest& guest);
  void send(int number, const MessageWriter& message);
  void part_with_the_unwelcome();
  void tend();
  int time_to_wait() const;

  int listener_;
  int bell_;  ///< an eventfd that ends the thread
  std::chrono::seconds patience_;
  Clock::time_point gives_up_;
  bool gave_up_ = false, stops_ = false;
  bool full_ = false, told_ = false;  ///< whether there are no descriptors for more guests, and the user knows
  Exchange exchange_;
  std::map<int, Guest> guests_;
  int guests_so_far_ = 0;
  Thread thread_;
};

}  // namespace bowline::wireup
