// SPDX-License-Identifier: BSD-3-Clause
// Cuts one rank's stream into whole lines, so that lines of different ranks never mix.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "launcher/pattern.hpp"

namespace bowline::launcher {

/// Holds the unfinished last line of one stream. Lines may contain any bytes, including zeros.
class LineCutter {
 public:
  /// In bytes. A longer line is passed on in pieces, which bounds the memory.
  static constexpr size_t longest_line = size_t{1} << 20;

  /// `tag` is printed before every line, with the time if the tag names the time (pattern.hpp); empty: bytes pass
  /// unchanged.
  explicit LineCutter(std::string tag) : tag_(std::move(tag)), timed_(names_time(tag_)) {}

  /// Adds bytes of the stream, and appends all finished lines to `out`.
  void add(std::string_view bytes, std::string& out);

  /// Appends the unfinished line to `out`, with a newline if lines are tagged.
  void finish(std::string& out);

  /// Appends the unfinished line as it is, for a prompt that waits for an answer.
  void show_partial(std::string& out);

 private:
  void emit(std::string_view piece, std::string& out);

  std::string tag_;
  bool timed_;
  std::string partial_;
  bool in_line_ = false;  ///< the beginning of the unfinished line has already been passed on
};

}  // namespace bowline::launcher
