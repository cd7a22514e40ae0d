// SPDX-License-Identifier: BSD-3-Clause
// PmiLine: a line that a PMI server sends. Version 1 of PMI is text: words NAME=VALUE, of which the first is
// cmd=COMMAND.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bowline::wireup {

class PmiLine {
 public:
  /// Takes a line apart, without its end. Throws Error (MPI_ERR_OTHER) if it does not begin with cmd=.
  explicit PmiLine(std::string text);

  const std::string& text() const noexcept { return text_; }
  std::string_view command() const noexcept { return words_.front().second; }
  /// The value of a word; none if the line has no such word.
  std::optional<std::string_view> find(std::string_view name) const noexcept;
  /// The same as a number. Throws Error if there is no such word, or if it is no number.
  int number(std::string_view name) const;
  /// Whether the server refuses: some servers give a status with every answer, others only where one can differ.
  bool refuses() const { return find("rc").has_value() && number("rc") != 0; }

 private:
  std::string text_;
  std::vector<std::pair<std::string, std::string>> words_;
};

}  // namespace bowline::wireup
