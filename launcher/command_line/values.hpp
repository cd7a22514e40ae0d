// SPDX-License-Identifier: BSD-3-Clause
// Converts the texts of options to values, or throws one sentence that names the option and what is allowed.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {

/// A word and its value. Several words may have the same value.
template <class T>
struct Word {
  std::string_view word;
  T value;
};

std::string lower_case(std::string_view text);

/// The parts between separators; one empty part if the text is empty.
std::vector<std::string> split(std::string_view text, char separator);

/// A whole number from `least` to `most`. Throws UsageError: "OPTION TEXT: WHAT must be ...".
int to_number(std::string_view option, std::string_view text, std::string_view what, int least, int most);

/// A number of seconds above 0. Throws UsageError.
double to_seconds(std::string_view option, const std::string& text);

/// Reads NAME=VALUE, or NAME with the value in mpiexec's own environment; nullopt if the variable is not set there.
/// Throws UsageError.
std::optional<std::pair<std::string, std::string>> to_variable(std::string_view option, const std::string& text);

/// Reads numbers and ranges such as "0-3,8", in the order given. Throws UsageError.
std::vector<int> to_cpus(std::string_view option, std::string_view text, char separator);

/// The value of a word, regardless of case. Throws UsageError that lists the words, of synonyms the first.
template <class T>
T to_choice(std::string_view option, std::string_view text, std::span<const Word<T>> words) {
  const std::string wanted = lower_case(text);
  const auto found = std::find_if(words.begin(), words.end(), [&](const Word<T>& w) { return w.word == wanted; });
  if (found != words.end()) return found->value;
  std::vector<std::string_view> names;
  for (const Word<T>& word : words) {
    const auto first =
        std::find_if(words.begin(), words.end(), [&](const Word<T>& w) { return w.value == word.value; });
    if (&*first == &word) names.push_back(word.word);
  }
  throw UsageError("{} {}: must be one of {}", option, text, fmt::join(names, ", "));
}

}  // namespace bowline::launcher
