// SPDX-License-Identifier: BSD-3-Clause
// Parting: the end of connections between jobs (MPI-5.0, section 11.10.4).
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"

namespace bowline::api {

/// The connections that no communicator, window or file of any member uses once `comm` is freed: those all of whose
/// processes are in `comm`, and in no other communicator of theirs together. Equal at all members of a connection.
/// Collective over `comm`, in both groups. In ascending order.
std::vector<std::uint32_t> connections_that_end_with(comm::Communicator& comm);

}  // namespace bowline::api
