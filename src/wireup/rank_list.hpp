// SPDX-License-Identifier: BSD-3-Clause
// The list of the ranks that share a node, as a PMIx server writes it.
#pragma once

#include <string_view>
#include <vector>

namespace bowline::wireup {

/// Reads "0,1,2" or "0-3,7", as PMIX_LOCAL_PEERS writes it; the result is in ascending order, each rank once. Throws
/// Error (MPI_ERR_OTHER) for anything else.
std::vector<int> parse_ranks(std::string_view text);

}  // namespace bowline::wireup
