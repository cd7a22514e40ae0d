// SPDX-License-Identifier: BSD-3-Clause
// What a rank writes into and mpiexec reads from: a pipe, or a pseudo-terminal.
#pragma once
#include <sys/types.h>

#include <span>
#include <string>

namespace bowline::launcher {

/// A channel from a rank to mpiexec. The caller owns both descriptors, which programs do not inherit (O_CLOEXEC).
/// `reader` does not block.
struct OutputChannel {
  int reader;  ///< of a pseudo-terminal: reports EIO, not the end of the file, when nothing holds `writer` any more
  int writer;
  bool terminal;  ///< writing fails with EIO, not with SIGPIPE, when `reader` is closed
};

/// Throws LaunchError.
OutputChannel open_pipe(int rank);

/// A pseudo-terminal that passes all bytes unchanged. The libraries of C, Fortran, Python and others write each line at
/// once to a terminal, and hold back kilobytes of output to a pipe. Returns a pipe where there is no pseudo-terminal,
/// with the reason in `reason`. Throws LaunchError.
OutputChannel open_terminal(int rank, std::string& reason);

/// Like read(), but fills the buffer as far as bytes are there: a pseudo-terminal hands out 4 KiB at a time.
ssize_t read_channel(int reader, std::span<char> buffer);

}  // namespace bowline::launcher
