// SPDX-License-Identifier: BSD-3-Clause
// The sentences of the calling thread's last failed call, which MPI_Error_string returns to the program.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bowline {

struct ErrorSentence {
  int code;
  std::string text;
};

/// Replaces the sentences of the thread's earlier failed calls. If a code appears twice, its first sentence applies.
void remember_errors(std::vector<ErrorSentence> sentences) noexcept;

/// The sentence for this code; nullptr if the thread's last failed call did not raise the code. Valid until the
/// thread's next failed call.
const std::string* sentence_of(int code) noexcept;

/// At most `most` bytes from the beginning of the text, cut at a boundary between UTF-8 characters.
std::string cut_text(const std::string& text, std::size_t most);

}  // namespace bowline
