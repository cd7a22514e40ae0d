// SPDX-License-Identifier: BSD-3-Clause
// With the tunable `check_collectives` the members of a communicator tell each other which collective they have called
// before they carry it out: who calls another one gets an error that names both, instead of wrong data or a wait
// without end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/task.hpp"
#include "coll/algorithm.hpp"
#include "coll/collectives.hpp"

namespace bowline::coll {

/// What one member has called, as it goes to the others.
struct Call {
  std::uint32_t mark;  ///< that it is one
  std::int32_t rank;
  Operation operation;
  Form form;
  std::array<char, 2> unused;
  std::int32_t root;  ///< -1: there is none, or members cannot compare it
  std::uint64_t bytes;
  std::uint64_t segment;
  std::array<char, 32> algorithm;
  std::array<char, 32> op;    ///< empty: nothing is reduced
  std::array<char, 64> type;  ///< of what is reduced, if it is predefined
};

/// Whether the tunable is set.
bool checks_collectives() noexcept;

Call describe(Team& team, Operation operation, Form form, const Arguments& arguments);
/// That the members agree on something, which no algorithm of the registry serves.
Call describe_agreement(const Team& team);
/// On an intercommunicator, where members of the two groups give different arguments.
Call describe_inter(int rank, Operation operation, Form form, const Arguments& arguments);

/// Ends well if all members of the channel have made calls that belong together. If not, all get an Error that names
/// the first two that do not. Costs ceil(log2 n) rounds.
Task agree(Channel& channel, Call mine);
/// Runs `body` after that; it does not begin at any member if the calls do not belong together.
Task checked(Channel& channel, Call mine, Task body);

}  // namespace bowline::coll
