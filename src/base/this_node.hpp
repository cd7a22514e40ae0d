// SPDX-License-Identifier: BSD-3-Clause
// A number for the node of this process, for processes that have no launcher in common.
#pragma once

#include <cstdint>

namespace bowline {

/// A number for this host, as long as it runs, and its name: containers of one host count as nodes of their own. Two
/// processes with the same number do not necessarily share memory; connection establishment finds out whether they do.
std::uint64_t this_node();

}  // namespace bowline
