// SPDX-License-Identifier: BSD-3-Clause
// Translates the options of Open MPI's and MPICH's mpiexec, and of launchers that follow them, to mpiexec's own.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

/// How an option of another launcher is translated.
enum class Effect {
  becomes,     ///< replaced by `text`: options of mpiexec in which $1 and $2 stand for the values
  pair,        ///< like `becomes`; NAME=VALUE in one word also gives the two values
  always,      ///< mpiexec always behaves so: the option is dropped silently
  none,        ///< no counterpart: dropped with a warning, in which `text` names a substitute
  parameters,  ///< the value is a file of Open MPI's parameters: --keep-going for those of fault tolerance, else `none`
};

struct ForeignOption {
  std::string_view names;  ///< separated by spaces; written after one or two dashes, unless the dash is given here
  int values;              ///< number of values that follow the option
  Effect effect;
  std::string_view text;
};

/// The table of all foreign options. Each name is in one row only, and mpiexec's own options are in no row.
std::span<const ForeignOption> foreign_options();

/// Number of values of an option of mpiexec; -1 if the word is no such option.
using OwnOption = std::function<int(const std::string& name)>;

/// Replaces the foreign options before the program. Options of mpiexec that are written with one dash get two dashes.
/// Appends sentences to `warnings`. Throws UsageError for an option without its values.
std::vector<std::string> translate(std::span<const std::string> words, const OwnOption& own,
                                   std::vector<std::string>& warnings);

}  // namespace bowline::launcher
