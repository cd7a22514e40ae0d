// SPDX-License-Identifier: BSD-3-Clause
// Access modes of files (MPI-5.0, section 14.2.1), and where a seek counts from.
#pragma once

#include <string>

namespace bowline::mpiio {

// Values of the standard ABI.
namespace mode {
inline constexpr int append = 1;
inline constexpr int create = 2;
inline constexpr int delete_on_close = 4;
inline constexpr int excl = 8;
inline constexpr int rdonly = 16;
inline constexpr int rdwr = 32;
inline constexpr int sequential = 64;
inline constexpr int unique_open = 128;
inline constexpr int wronly = 256;
}  // namespace mode

/// "MPI_MODE_CREATE | MPI_MODE_RDWR".
std::string mode_in_words(int amode);

/// Throws Error (amode) if the standard does not allow this combination.
void check_mode(int amode);

}  // namespace bowline::mpiio
