// SPDX-License-Identifier: BSD-3-Clause
// What this library is called and how it was built.
#pragma once

#include <string_view>

namespace bowline::runtime {

/// "Bowline 0.1.0, MPI 5.0, standard ABI 1.0"; what MPI_Get_library_version returns.
std::string_view library_version() noexcept;

/// Compiler and build type, for bowline-info.
std::string_view build_description() noexcept;

}  // namespace bowline::runtime
