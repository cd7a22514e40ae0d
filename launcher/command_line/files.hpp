// SPDX-License-Identifier: BSD-3-Clause
// Files of command lines: MPICH's -configfile, Open MPI's --app.
#pragma once
#include <string>
#include <vector>

namespace bowline::launcher {

/// The words of each line that is not empty. Each line is one part of a job, as if colons separated them. # at the
/// beginning of a line makes it a comment; \ at its end continues it; quotes and \ work as in a shell. Throws
/// UsageError that names the file and the line.
std::vector<std::vector<std::string>> read_command_lines(const std::string& path);

}  // namespace bowline::launcher
