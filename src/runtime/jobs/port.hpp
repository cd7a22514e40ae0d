// SPDX-License-Identifier: BSD-3-Clause
// Port: a TCP socket at which processes of other jobs ask to be connected (MPI-5.0, section 11.4). The port closes the
// connection of a process that does not know its secret; others do not wait for such a process.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/flag.hpp"
#include "runtime/jobs/conversation.hpp"
#include "runtime/jobs/port_name.hpp"

namespace bowline::runtime {

/// Thread-safe.
class Port {
 public:
  /// Listens from now on. Throws Error (port).
  Port();
  ~Port();
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  const PortName& name() const noexcept { return name_; }
  /// No call waits at the port any more.
  void close() noexcept { closed_ = true; }

  /// Waits for a process that knows the port's name. Returns what is said to that process. Throws Error (port) if the
  /// port is closed or the wait is over.
  Conversation accept(DescriptorWait& wait);
  /// The same without waiting: nothing if nobody is there.
  std::optional<Conversation> try_accept();
  /// Adds the descriptors that become readable when accept() may go on.
  void add_to(std::vector<pollfd>& descriptors);

 private:
  using Clock = std::chrono::steady_clock;
  /// A process that has connected and has not finished its greeting.
  struct Guest {
    Conversation conversation;
    Clock::time_point until;  ///< when it is turned away
    Greeting greeting{};
    std::size_t received = 0;  ///< bytes of its greeting
    enum class State : std::uint8_t { greeting, welcome, unwelcome } state = State::greeting;
  };

  void admit();
  void listen_to(Guest& guest) const noexcept;

  int listener_ = -1;
  PortName name_;
  Flag closed_;
  std::mutex mutex_;  ///< guards guests_
  std::list<Guest> guests_;
};

/// Connects to a port of another process, which accepts sooner or later. Throws Error (port) if the port is not open,
/// cannot be reached or belongs to another user, or if the wait is over.
Conversation connect_to(const PortName& port, DescriptorWait& wait);

/// The open ports of this process, by their names. Thread-safe.
class Ports {
 public:
  /// Opens a port and returns its name. Throws Error (port).
  std::string open();
  /// Throws Error (port) if this process has opened no port with this name, or has closed it.
  std::shared_ptr<Port> find(std::string_view name) const;
  void close(std::string_view name);
  void close_all();

 private:
  mutable std::mutex mutex_;  ///< guards open_
  std::vector<std::shared_ptr<Port>> open_;
};

}  // namespace bowline::runtime
