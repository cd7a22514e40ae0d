// SPDX-License-Identifier: BSD-3-Clause
// mpiexec's own options: their names, and what --help says of them.
#pragma once
#include <CLI/CLI.hpp>

#include "launcher/command_line/raw.hpp"

namespace bowline::launcher {

/// Names the word that separates programs, before all other options.
inline constexpr const char* separator_option = "--separator";

/// Declares the options of one part of the command line. They write to `app` and `job`, which must outlive `cli`.
void declare(CLI::App& cli, RawApp& app, RawJob& job);

}  // namespace bowline::launcher
