// SPDX-License-Identifier: BSD-3-Clause
// The sockets by which the processes of a rendezvous find the one that serves.
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>

#include "wireup/rendezvous/line.hpp"

namespace bowline::wireup {

/// The addresses of a line's host and port.
class Addresses {
 public:
  /// Asks the system, which may take a while.
  explicit Addresses(const RendezvousLine& line);

  const addrinfo* first() const noexcept { return list_.get(); }
  /// Why there are none, in words; empty if there are some.
  const std::string& problem() const noexcept { return problem_; }

 private:
  struct FreeList {
    void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
  };
  std::unique_ptr<addrinfo, FreeList> list_;
  std::string problem_;
};

/// A socket that listens at one of the addresses; negative if the host is not this one, or if another socket listens
/// there. The caller closes it. Throws Error if the user may not listen there.
int listen_at(const Addresses& addresses, const RendezvousLine& line);

/// A socket that is connected to what listens at one of the addresses; negative if nothing answers until `until`, and
/// then `problem` says why. The caller closes it.
int connect_to(const Addresses& addresses, std::chrono::steady_clock::time_point until, std::string& problem);

}  // namespace bowline::wireup
