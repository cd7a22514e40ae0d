// SPDX-License-Identifier: BSD-3-Clause
// --help of all programs: as text, and as the document from which manual pages and completions of shells are made.
#pragma once
#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "launcher/command_line/foreign.hpp"

namespace bowline::launcher {

/// Declares --help and --help=json.
///
/// Completions follow the options' type names. Words of small letters between | are values: "line|full", or
/// "map|bindings[,...]" for a list. Capital letters say what a value is: FILE, DIR, PROGRAM, HOST, VARIABLE, PID; all
/// other names, such as N, complete nothing.
void declare_help(CLI::App& cli);

/// What --help asks for, after CLI11 has thrown CallForHelp. `others`: options of other launchers that are understood.
std::string requested_help(const CLI::App& cli, std::span<const ForeignOption> others = {});

}  // namespace bowline::launcher
