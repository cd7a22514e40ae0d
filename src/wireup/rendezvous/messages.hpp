// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a rendezvous and the one that serves it say to each other. Every message begins with its kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "wireup/relay_message.hpp"

namespace bowline::wireup {

/// The longest message of a process that has not proved yet that it belongs here.
inline constexpr std::size_t longest_hello = 4096;
/// The longest message of all others, and of the server.
inline constexpr std::size_t longest_rendezvous_message = std::size_t{1} << 30;

/// What a process says to the server. The high bits tell these processes from strangers.
enum class RendezvousCall : std::uint32_t {
  hello = 0xb0711f00,  ///< an Arrival
  publish,             ///< all keys of this process; the answer is `published`
  keys,                ///< of a rank; the answer is `keys`
  abort,               ///< status, text, ranks (none: all); the answer is `done`, once the others have ended
  finalize,            ///< the answer is `done`; to the serving process it comes when all others have finished
  go_on,               ///< this process uses MPI again after finalize; no answer
};

/// What the server says.
enum class RendezvousAnswer : std::uint32_t {
  refusal = 0xb0711e80,  ///< why the process may not join, a sentence
  full,                  ///< the world has all its processes: this one may come again when it has ended
  came,                  ///< how many processes have come
  welcome,               ///< a Welcome
  published,             ///< all processes of this node have published, or a sentence why they cannot
  keys,                  ///< rank, whether it has published, keys
  end,                   ///< end this process: status, text
  done,
};

/// What a process says of itself when it comes.
struct Arrival {
  std::string version;
  std::string secret;
  int size = 1;
  int wanted = -1;  ///< the rank that it wants; negative: any
  std::uint64_t node = 0;
  std::string host;  ///< for sentences
  int process = 0;
  bool serves = false;  ///< whether the server is a thread of this process

  /// The process, in words.
  std::string text() const;
  MessageWriter message() const;
  /// Throws Error if this is no arrival. Of another version of Bowline it reads the version only.
  static Arrival read(MessageReader& message, const std::string& version);
};

/// A process's place in the world.
struct Welcome {
  int rank = 0;
  std::string job;
  std::vector<int> nodes;  ///< the number of the node of each rank, from 0

  MessageWriter message() const;
  static Welcome read(MessageReader& message);
};

}  // namespace bowline::wireup
