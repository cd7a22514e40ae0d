// SPDX-License-Identifier: BSD-3-Clause
// For tests in which a rank dies and the launcher does not notice, so that the library must. A rank that is through
// with its test makes an empty file over.RANK in the working directory.
#pragma once

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "check.hpp"

namespace silent_death {

/// The port of the PMIx server on this node, from such as "server;tcp4://127.0.0.1:40123"; 0 if there is none.
inline int server_port() {
  for (const char* const name : {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI2"}) {
    const char* const uri = std::getenv(name);
    if (uri != nullptr) return std::atoi(std::strrchr(uri, ':') + 1);
  }
  return 0;
}

inline bool leads_to_server(int descriptor) {
  sockaddr_in peer{};
  socklen_t length = sizeof peer;
  return getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) == 0 && peer.sin_family == AF_INET &&
         ntohs(peer.sin_port) == server_port();
}

/// Without a word to anybody: a child keeps the connection to the PMIx server, which would have the job ended, until
/// all others are through.
[[noreturn]] inline void die() {
  if (fork() == 0) {
    constexpr int most = 4096;
    for (int descriptor = 0; descriptor < most; ++descriptor) {
      if (!leads_to_server(descriptor)) close(descriptor);
    }
    for (int rank = 0; rank < check::size; ++rank) {
      while (rank != check::rank && access(("over." + std::to_string(rank)).c_str(), F_OK) != 0) usleep(10'000);
    }
    _exit(0);
  }
  raise(SIGKILL);
  std::abort();
}

}  // namespace silent_death
