// SPDX-License-Identifier: BSD-3-Clause
// The door: where a thread of this process sleeps until another process asks for one of its descriptors (handover.hpp).
//
// It is a Unix socket without a file. Its name is random, so that nobody else can have it, and no secret: whoever asks
// has to be of the same user, by the kernel's word, and to know what the owner has told through the launcher. An
// answered connection stays open until either side ends.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cstdint>

namespace bowline::node {

/// The socket's address in the kernel's own name space.
class DoorAddress {
 public:
  explicit DoorAddress(std::uint64_t name) noexcept;
  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const noexcept { return size_; }

 private:
  sockaddr_un address_{};
  socklen_t size_;
};

/// The process at the other end of a connected Unix socket: the one that called connect(), or listen().
struct Visited {
  bool same_user = false;  ///< or root
  pid_t process = 0;       ///< as this process sees it; 0: it sees no such process
};
Visited other_end(int connection) noexcept;

/// Gives the descriptor to who knows the secret, from now on. The first offer makes the door, the end of the last one
/// ends it. Returns its name; 0 if there is no door, because the system has no thread or no descriptor left.
std::uint64_t offer_at_door(std::uint64_t secret, int descriptor);
void withdraw_from_door(std::uint64_t secret) noexcept;

}  // namespace bowline::node
