// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of a rank that cannot reach the PMIx server, which listens on the loopback interface of the launcher's
// network namespace. A process beside the launcher, the relay, is the PMIx client in its place. The rank sends each
// call of Wireup to the relay and waits for the answer.
#pragma once

#include <memory>
#include <string>

#include "base/job_folder.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {

/// The name, in the job's folder, of the socket at which the launcher starts a relay for each connection.
inline constexpr const char* relay_socket = "relay";

/// The folder, if this process has another network namespace than its launcher, and the launcher has relays.
std::optional<JobFolderTicket> relay_is_needed() noexcept;

/// The wire-up through a relay. Throws Error.
std::unique_ptr<Wireup> make_relayed(const JobFolderTicket& folder);

/// The work of a relay: answers calls of the rank at the other end until that ends. Returns the exit status of the
/// relay's process: 0 if the rank has called finalize(). The environment names the PMIx server.
int serve_relay(int connection) noexcept;

}  // namespace bowline::wireup
