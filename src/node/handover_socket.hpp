// SPDX-License-Identifier: BSD-3-Clause
// A Unix socket at which a thread of this process sleeps until another process requests one of its descriptors
// (handover.hpp).
//
// The socket lies in the folder of the job if this process has that folder (base/job_folder.hpp), where processes of
// other network namespaces find it, too. Otherwise it has no file: a name in the abstract namespace. The name is
// random, so no other process has it, and need not be secret: the kernel must confirm that the client belongs to the
// same user, and the client must know the secret that the owner has published through the launcher. After an answer the
// connection stays open until either side ends.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cstdint>
#include <optional>

namespace bowline::node {

class UnixSocketAddress {
 public:
  /// The socket's address in the abstract namespace.
  explicit UnixSocketAddress(std::uint64_t name) noexcept;
  /// The socket's address in the folder of the job; none if this process has no folder.
  static std::optional<UnixSocketAddress> in_folder(std::uint64_t name) noexcept;

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const noexcept { return size_; }
  /// The file of an address in the folder.
  const char* file() const noexcept { return address_.sun_path; }

 private:
  UnixSocketAddress() = default;
  sockaddr_un address_{};
  socklen_t size_ = sizeof(sockaddr_un);
};

/// The process at the other end of a connected Unix socket: the process that called connect(), or listen().
struct SocketPeer {
  bool same_user = false;  ///< or root
  pid_t process = 0;       ///< its pid as seen here; 0: not visible here
};
SocketPeer other_end(int connection) noexcept;

/// From now on gives the descriptor to clients that know the secret. The first offer makes the socket, the end of the
/// last offer closes it. Returns the socket's name; 0 if it could not be made, because the system has no thread or no
/// descriptor left.
std::uint64_t offer_descriptor(std::uint64_t secret, int descriptor);
void withdraw_descriptor(std::uint64_t secret) noexcept;

}  // namespace bowline::node
