// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of processes that nobody has launched: they find each other at a host and port (docs/dynamic.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "wireup/rendezvous/line.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {

/// Waits until all processes of the line have come. A process killed later is a lost peer; if it was the one that
/// serves, the others cannot look up any more what they have not looked up yet. Throws Error.
std::unique_ptr<Wireup> make_rendezvous(const RendezvousLine& line);

/// Gives this process a line, in place of the environment's. Throws Error (MPI_ERR_ARG) if it is malformed; the
/// sentence begins with `name`. To be called before connect(), by one thread.
void set_rendezvous(const std::string& line, std::string_view name);

/// The line that set_rendezvous() or the environment has given; none if there is none. It is taken out of the
/// environment, because programs that this one starts do not belong to its world. Throws Error if it is malformed.
std::optional<RendezvousLine> take_rendezvous();

}  // namespace bowline::wireup
