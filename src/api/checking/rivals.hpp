// SPDX-License-Identifier: BSD-3-Clause
// Rivals: receives from any rank, and how many of them could have taken the message of another rank as well, so that
// the program does what the order of arrival says. It is kept with BOWLINE_CHECK=rivals.
//
// A message is a rival of the one that a receive took if the receive accepts it and it was sent without knowing of this
// match: it was there when the receive was completed, or it has come before this process told others anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/diagnosis/mpi_call.hpp"
#include "proto/matching/match.hpp"

namespace bowline::api::checking {

/// Safe for several threads.
class Rivals {
 public:
  static Rivals& of_this_process();

  /// A receive or a probe, when it begins.
  struct Receive {
    proto::Match accepts;
    MpiCall by;
    proto::Engine* engine = nullptr;  ///< that of the communicator
    bool persistent = false;
    std::uint64_t order = 0;  ///< set by begin()
  };
  /// Whether a message that this receive accepts and that is of another rank waits for a receive.
  using IsThere = std::function<bool(const proto::Match& accepts, int other_than)>;

  /// The next receive in the order of their beginnings.
  Receive begin(Receive receive);
  /// Until it is completed, or freed, the receive is known by its request.
  void keep(const void* request, const Receive& receive);
  /// The receive of this request; nothing if it is not known. A persistent one stays known.
  std::optional<Receive> take(const void* request);
  bool is_known(const void* request);
  void forget(const void* request);

  /// A message that a receive has taken.
  struct Taken {
    int source;
    int tag;
    bool is_empty;  ///< then it does not matter which one it is
    bool named;     ///< whether the call returns the sender to the program
  };
  void completed(const Receive& receive, const Taken& message, const IsThere& is_there);
  /// The process is about to tell others something.
  void tell_others();

  /// A sentence for each place with rivals: "3 of 400 messages that MPI_Recv (solver.c:10) received ...". `all`: also
  /// where the program is told the senders.
  std::vector<std::string> in_words(bool all);

 private:
  struct Place {
    MpiCall call;
    std::size_t matches = 0, with_rivals = 0;
    bool named = false;
  };
  /// Matches of which nobody has been told anything, and whose rivals may still come.
  struct Open {
    Receive receive;  ///< the last one
    int source;
    int tag;
    std::size_t matches;
  };

  void find_rivals_of_earlier(const Receive& receive, const Taken& message);

  std::mutex mutex_;
  std::uint64_t begun_ = 0;
  std::unordered_map<const void*, Receive> pending_;
  std::vector<Open> open_;
  std::map<std::uintptr_t, Place> places_;  ///< by where the call returns to
};

}  // namespace bowline::api::checking
