// SPDX-License-Identifier: BSD-3-Clause
// The protocols for messages: which lengths each can serve over a transport, and which of them it serves.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::launcher {

/// One protocol over one transport. Lengths are in words: "41 to 8192".
struct ProtocolUse {
  std::string_view name;
  std::string_view summary;
  std::string serves;  ///< the lengths that the protocol could serve; empty: the transport does not offer the protocol
  std::string used_for;  ///< the lengths for which the protocol is the first choice
};

/// All protocols, over endpoints with these limits and with the tunables of this process.
std::vector<ProtocolUse> protocol_uses(const transport::Limits& limits);

/// Prints protocol_uses() for every transport of this version, and what long messages take between two processes of
/// this node.
void print_protocols();

}  // namespace bowline::launcher
