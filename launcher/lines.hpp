// SPDX-License-Identifier: BSD-3-Clause
// Cuts one rank's stream into whole lines, so that lines of different ranks never mix.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "launcher/pattern.hpp"

namespace bowline::launcher {

/// Holds the unfinished last line of one stream. Any bytes may come; a line may contain zeros.
class LineCutter {
 public:
  /// A line longer than this is passed on in pieces: memory is bounded before wholeness is kept.
  static constexpr size_t longest_line = size_t{1} << 20;

  /// `tag` is put before every line, with the time where it names it (pattern.hpp); empty: bytes pass unchanged.
  explicit LineCutter(std::string tag) : tag_(std::move(tag)), timed_(names_time(tag_)) {}

  /// Takes what was read and appends all finished lines to `out`.
  void add(std::string_view bytes, std::string& out);

  /// Appends the unfinished line to `out`; a tagged one gets the newline it lacks.
  void finish(std::string& out);

  /// Appends the unfinished line as it is, for a prompt that waits for an answer.
  void show_partial(std::string& out);

 private:
  void emit(std::string_view piece, std::string& out);

  std::string tag_;
  bool timed_;
  std::string partial_;
  bool in_line_ = false;  ///< the beginning of this line has already been passed on
};

}  // namespace bowline::launcher
