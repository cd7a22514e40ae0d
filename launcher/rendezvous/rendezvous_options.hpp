// SPDX-License-Identifier: BSD-3-Clause
// The command line of bowline-rendezvous as values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace bowline::launcher {

struct RendezvousOptions {
  int size = 1;
  std::string host;                 ///< where one of the processes will serve
  std::optional<int> port;          ///< none: one that is free on this host now
  std::optional<std::string> help;  ///< the help text, if only that is to be printed
};

/// Parses the arguments after the program's name. Throws UsageError, one sentence that says which argument is wrong,
/// and what is allowed.
RendezvousOptions parse_rendezvous_options(std::span<const std::string> arguments);

/// A random port that is free on this host. Throws LaunchError.
int free_port();

/// 32 random hexadecimal digits.
std::string random_secret();

}  // namespace bowline::launcher
