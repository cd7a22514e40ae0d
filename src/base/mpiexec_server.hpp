// SPDX-License-Identifier: BSD-3-Clause
// The PMIx server of mpiexec has a name by which ranks recognise it.
#pragma once

#include <string_view>

namespace bowline {

/// How the namespace of that server begins.
inline constexpr std::string_view mpiexec_server_prefix = "bowline-";

}  // namespace bowline
