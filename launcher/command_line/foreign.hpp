// SPDX-License-Identifier: BSD-3-Clause
// The words of Open MPI's and MPICH's mpiexec, and of launchers that follow them, become mpiexec's own.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

/// What becomes of an option of another launcher.
enum class Effect {
  becomes,  ///< `text` are options of mpiexec, in which $1 and $2 stand for the values
  pair,     ///< the same, and NAME=VALUE in one word stands for the two values
  always,   ///< what it asks for is always so: it goes without a word
  none,     ///< it has no counterpart: a warning, in which `text` says what takes its place
};

struct ForeignOption {
  std::string_view names;  ///< separated by spaces; written after one or two dashes, unless the dash is given here
  int values;              ///< how many words follow
  Effect effect;
  std::string_view text;
};

/// All of them. A name stands in one row only, and mpiexec's own options in none.
std::span<const ForeignOption> foreign_options();

/// How many values mpiexec's own option takes; -1 for a word that is none.
using OwnOption = std::function<int(const std::string& name)>;

/// Replaces the options in front of the program; options of mpiexec that are written after one dash get their two.
/// Appends sentences to `warnings`. Throws UsageError for an option whose values are missing.
std::vector<std::string> translate(std::span<const std::string> words, const OwnOption& own,
                                   std::vector<std::string>& warnings);

}  // namespace bowline::launcher
