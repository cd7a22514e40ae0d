// SPDX-License-Identifier: BSD-3-Clause
// Conversion of strings: Fortran's have a length and are padded with blanks, C's end with a null character.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "procedures/arrays.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

/// The string without the blanks at its end.
inline std::string_view without_end(std::string_view text) noexcept {
  const std::size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

inline std::string_view without_ends(std::string_view text) noexcept {
  const std::string_view kept = without_end(text);
  return kept.substr(std::min(kept.find_first_not_of(' '), kept.size()));
}

/// An input, without the blanks at its end.
class Text {
 public:
  Text(const char* text, std::size_t length) : Text(without_end({text, length})) {}
  explicit Text(const Descriptor* text) : Text(static_cast<const char*>(text->base), text->element_bytes) {}
  explicit Text(std::string_view text) : text_(text.size() + 1) {
    std::memcpy(text_.data(), text.data(), text.size());
    text_[text.size()] = '\0';
  }
  operator const char*() noexcept { return text_.data(); }

 private:
  LocalArray<char> text_;
};

/// An input, without the blanks at both ends.
class StrippedText : public Text {
 public:
  StrippedText(const char* text, std::size_t length) : Text(without_ends({text, length})) {}
};

/// A string that the C function sets. If it does not, Fortran's variable keeps its value.
class ResultText {
 public:
  /// `room`: the bytes that C may write, with the null character.
  ResultText(char* text, std::size_t length, std::size_t room) : text_(text), length_(length), now_(room + 2) {
    std::memcpy(now_.data(), unset, sizeof unset);
  }
  ResultText(const ResultText&) = delete;
  ResultText& operator=(const ResultText&) = delete;
  ~ResultText() {
    if (std::strcmp(now_.data(), unset) == 0) return;
    const std::size_t given = std::min(std::strlen(now_.data()), length_);
    std::memcpy(text_, now_.data(), given);
    std::memset(text_ + given, ' ', length_ - given);
  }
  operator char*() noexcept { return now_.data(); }

 private:
  static constexpr char unset[] = "\xff";  // no UTF-8 text
  char* text_;
  std::size_t length_;
  LocalArray<char> now_;
};

}  // namespace bowline::fortran
