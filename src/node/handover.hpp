// SPDX-License-Identifier: BSD-3-Clause
// Passing an open descriptor to another process of this node: a memory file, or the pipe that wakes its owner.
//
// A process takes another process's descriptor by opening /proc/PID/fd/N, without action of the owner. This fails, or
// opens another file, if the two have different pid namespaces or if the owner is not dumpable. So the process checks
// the file that it has opened. If it is the wrong file, the process requests the descriptor through a Unix socket: a
// thread of the owner sleeps there and passes the descriptor to clients that know the secret, which the launcher has
// distributed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "node/descriptor.hpp"

namespace bowline::node {

/// A random number that no other process can guess.
std::uint64_t make_secret();

/// The message of a process to others about one of its descriptors. It travels as bytes.
struct Ticket {
  std::int32_t process = 0;      ///< the owner's pid in its own namespace
  std::int32_t descriptor = -1;  ///< number of the descriptor in that process; negative: none
  std::uint64_t socket = 0;      ///< name of the owner's socket; 0: none
  std::uint64_t secret = 0;
};

/// Lets other processes take a descriptor of this process during the lifetime of the object. The descriptor must
/// outlive the object. Move-only. Several threads may make and destroy objects.
class Handover {
 public:
  Handover() = default;
  /// Passes the descriptor to processes of this user that know `secret`.
  Handover(int descriptor, std::uint64_t secret);
  Handover(Handover&& other) noexcept : ticket_(std::exchange(other.ticket_, {})) {}
  Handover& operator=(Handover&& other) noexcept {
    std::swap(ticket_, other.ticket_);
    return *this;
  }
  ~Handover();

  const Ticket& ticket() const noexcept { return ticket_; }

 private:
  Ticket ticket_;
};

/// The result of take().
struct Taken {
  Descriptor descriptor;
  pid_t process = 0;      ///< pid of the owner as seen here; 0: not visible here
  Descriptor connection;  ///< to the owner, if it was asked; readable once the owner has ended
};

/// Takes another process's descriptor, if `accepts` recognizes it. Throws Error (other) that says what was tried. If
/// take() must ask the owner, it waits for the owner's thread for some seconds at most.
Taken take(const Ticket& ticket, const std::function<bool(int)>& accepts);
/// Takes the descriptor without the owner's help and without waiting: none where /proc does not show it.
Descriptor take_from_proc(const Ticket& ticket, const std::function<bool(int)>& accepts);
/// Whether /proc shows that the owner has closed the descriptor, or has ended. False if /proc does not show the
/// descriptors of that process. Only for an owner in this process's pid namespace.
bool released_in_proc(const Ticket& ticket, const std::function<bool(int)>& accepts);

}  // namespace bowline::node
