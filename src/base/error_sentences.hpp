// SPDX-License-Identifier: BSD-3-Clause
// What the calling thread's last failed call has said of its errors, for the program to ask for (MPI_Error_string).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bowline {

struct ErrorSentence {
  int code;
  std::string text;
};

/// Replaces what the thread's earlier failed calls have said. Where a code is there twice its first sentence counts.
void remember_errors(std::vector<ErrorSentence> sentences) noexcept;

/// nullptr if the thread's last failed call has not raised this code. Lives until the thread's next failed call.
const std::string* sentence_of(int code) noexcept;

/// At most `most` bytes from the beginning of the text, and no part of a character in UTF-8.
std::string cut_text(const std::string& text, std::size_t most);

}  // namespace bowline
