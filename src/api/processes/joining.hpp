// SPDX-License-Identifier: BSD-3-Clause
// Joining: makes an intercommunicator of two communicators whose processes belong to different jobs, or to different
// parts of one (MPI-5.0, sections 11.3 and 11.4).
//
// The two roots talk, mostly over a socket; each tells its communicator what it has heard. An error at any process on
// either side is an error at all.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "api/processes/at_root.hpp"
#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "runtime/jobs/conversation.hpp"
#include "runtime/jobs/roster.hpp"

namespace bowline::api {

/// How the roots of the two sides talk.
class Talk {
 public:
  virtual ~Talk() = default;
  // Both throw Error if the other root is gone.
  virtual void send(std::span<const std::byte> message) = 0;
  virtual Bytes receive() = 0;
};

/// Over a socket.
std::unique_ptr<Talk> talk_over(runtime::Conversation conversation);

/// What the root of one side has arranged with the root of the other one.
struct Acquaintance {
  std::unique_ptr<Talk> talk;
  bool comes_first;       ///< true at one of the two roots; it decides what one of them has to decide
  runtime::Roster other;  ///< the processes of the other side
};
/// Executed at the root: meets the other root, tells it the roster of this side and learns that of the other side.
/// Throws Error.
using Meet = std::function<Acquaintance(const runtime::Roster& own)>;

/// No network leads to processes of the other side that share no memory with this one.
class NoWay : public Error {
 public:
  using Error::Error;
};

/// Collective over the intracommunicator `comm`, and over the one on the other side. `meet` is significant at the root.
/// The result has the error handler of `comm`. Throws Error.
comm::Communicator& join(comm::Communicator& comm, int root, const Meet& meet);

/// A Meet of roots that talk already: the one that comes first hears the other one first.
Acquaintance exchange_rosters(std::unique_ptr<Talk> talk, bool comes_first, const runtime::Roster& own);

}  // namespace bowline::api
