// SPDX-License-Identifier: BSD-3-Clause
// A program that runs in the background and ends when this process ends, such as a launcher for others.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bowline::wireup {

class BackgroundProgram {
 public:
  /// The program has an end of a pair of sockets as this descriptor; this process has the other end. The program is to
  /// end when it reads the end of the file there. What it writes there are its last words.
  static constexpr int descriptor = 3;

  /// Starts the program with the path `words[0]`. It gets these variables ("NAME=VALUE"), the standard output and error
  /// of this process, no input, and a process group of its own, so that Ctrl-C at the terminal is for this process
  /// only. It is no child of this process, whose program may wait for its own children. Throws SpawnFailure. A path
  /// that cannot be executed is no failure: the program then ends without words.
  BackgroundProgram(std::vector<std::string> words, std::vector<std::string> environment);

  /// The last words of the program (often none), once it has ended or said them.
  std::optional<std::string> ended();

 private:
  int end_;
};

/// The variables of this process, as "NAME=VALUE".
std::vector<std::string> own_environment();

}  // namespace bowline::wireup
