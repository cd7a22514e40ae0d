// SPDX-License-Identifier: BSD-3-Clause
// Handing an open descriptor to another process of this node: a memory file, or the pipe at which its owner is rung.
//
// A process takes a descriptor of another one by opening /proc/PID/fd/N where it may, without the owner's doing. It may
// not if the two see different processes (pid namespaces) or if the owner is not dumpable; what it finds there may then
// be anything. So it looks at what it has opened, and else asks the owner for it through a Unix socket: a thread of the
// owner sleeps there, and gives the descriptor to who knows the secret that the launcher has passed on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace bowline::node {

/// An open descriptor, closed when destroyed. Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  /// Negative: none.
  int number() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// A random number that no other process can guess.
std::uint64_t make_secret();

/// What a process tells others of one of its descriptors. It travels as bytes.
struct Ticket {
  std::int32_t process = 0;      ///< as its owner sees itself
  std::int32_t descriptor = -1;  ///< in that process; negative: there is none
  std::uint64_t door = 0;        ///< names the owner's socket; 0: it has none
  std::uint64_t secret = 0;
};

/// Lets other processes take a descriptor of this one as long as the object lives, which is no longer than the
/// descriptor. Move-only. Objects may be made and destroyed by several threads.
class Handover {
 public:
  Handover() = default;
  /// Hands the descriptor to processes of this user that know `secret`.
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

/// What has been taken.
struct Taken {
  Descriptor descriptor;
  pid_t process = 0;      ///< its owner as this process sees it; 0: it sees no such process
  Descriptor connection;  ///< to the owner, if it was asked: readable from when it has ended
};

/// Takes another process's descriptor, and none that `accepts` does not recognize. Throws Error (other) that says what
/// was tried. Waits for the owner's thread, if that has to be asked, for some seconds at most.
Taken take(const Ticket& ticket, const std::function<bool(int)>& accepts);

}  // namespace bowline::node
