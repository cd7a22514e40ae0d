// SPDX-License-Identifier: BSD-3-Clause
// The command line of bowline-info as values.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "launcher/info/collective_rules.hpp"
#include "launcher/selftest/selftest.hpp"

namespace bowline::launcher {

/// What bowline-info shall print.
struct Wanted {
  bool version = false, tunables = false, transports = false, protocols = false, windows = false, collectives = false,
       doctor = false, selftest = false, all = false;
  std::optional<std::string> coverage;   ///< all, implemented, missing or summary
  std::optional<std::string> variables;  ///< text, markdown or json
  std::optional<std::string> program;    ///< whose ABI is asked for
  CollectiveQuestion question;
  SelftestOptions selftest_options;
  std::optional<std::string> help;  ///< the help text, if only that is to be printed
};

/// Parses the arguments after the program's name. Throws UsageError, one sentence that says which argument is wrong,
/// what is allowed, and what to write instead.
Wanted parse_info_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher
