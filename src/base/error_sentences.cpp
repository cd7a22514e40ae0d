// SPDX-License-Identifier: BSD-3-Clause
#include "base/error_sentences.hpp"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace bowline {
namespace {

// The list lies behind a pointer, so it stays valid while the destructors of the thread's objects query sentences.
constinit thread_local std::vector<ErrorSentence>* last = nullptr;

struct AtEndOfThread {
  AtEndOfThread() = default;
  AtEndOfThread(const AtEndOfThread&) = delete;
  AtEndOfThread& operator=(const AtEndOfThread&) = delete;
  ~AtEndOfThread() { delete std::exchange(last, nullptr); }
};

}  // namespace

void remember_errors(std::vector<ErrorSentence> sentences) noexcept {
  static thread_local const AtEndOfThread end;
  if (last == nullptr) last = new (std::nothrow) std::vector<ErrorSentence>;
  if (last != nullptr) *last = std::move(sentences);
}

const std::string* sentence_of(int code) noexcept {
  if (last == nullptr) return nullptr;
  const auto found = std::ranges::find(*last, code, &ErrorSentence::code);
  return found == last->end() ? nullptr : &found->text;
}

std::string cut_text(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const auto continues = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; };
  std::size_t end = most;
  while (end > 0 && continues(text[end])) --end;
  return text.substr(0, end);
}

}  // namespace bowline
