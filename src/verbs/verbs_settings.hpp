// SPDX-License-Identifier: BSD-3-Clause
// The tunables of the verbs transport that several of its files read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/tunable.hpp"
#include "transport/transport.hpp"

namespace bowline::verbs {

extern TextTunable device_choice;              ///< "mlx5_0", "mlx5_0:2", or a list of such names
extern Tunable<std::size_t> rails_choice;      ///< most adapters, unless device_choice names them
extern Tunable<std::size_t> stripe_from;       ///< in bytes
extern Tunable<int> gid_index_choice;          ///< negative: automatic
extern Tunable<std::size_t> partition_choice;  ///< partition key; 0: the key at index 0
extern Tunable<int> service_level;
extern Tunable<int> traffic_class;  ///< DSCP << 2 | ECN
extern Tunable<int> mtu_choice;     ///< in bytes; 0: the MTU of the port
extern Tunable<int> contact_patience;
extern ChoiceTunable connect_choice;

inline constexpr std::size_t max_prefix = 64;
/// The only length of numbers that adapters update atomically. A loop over the eight bytes around a shorter number
/// could undo what a processor stores beside it, because most adapters are atomic among themselves only.
inline constexpr std::size_t shortest_atomic = 8;

/// The longest prefix and body together that a buffer or slot of this process holds.
std::size_t longest_message() noexcept;

/// The limits of endpoints, given the tunables. `max_inline`: most bytes that the adapter takes inside a work request;
/// `atomics`: whether the adapter executes atomic operations; `theirs`: longest_message() of the peer, whose tunables
/// may have other values.
transport::Limits verbs_limits(std::size_t max_inline, bool atomics, std::size_t theirs = longest_message()) noexcept;

}  // namespace bowline::verbs
