// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/wait_slot.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "base/this_thread.hpp"

namespace bowline {
namespace {

constexpr int reads_at_most = 1000;  // a write takes less than a microsecond, or the time until its thread runs again
constexpr int hexadecimal = 16;

constexpr bool is_odd(std::uint32_t version) noexcept {
  return version % 2 != 0;
}

/// Bytes above 127 belong to characters of UTF-8.
constexpr char visible(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  constexpr unsigned char first = ' ', last = 0x7f;
  return byte < first || byte == last ? '?' : c;
}

/// Takes a number off the front of the text, with the separator behind it if `more` follows.
template <class Number>
bool take_number(std::string_view& text, Number& number, int base, bool more) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!more) return text.empty();
  if (!text.starts_with(':')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

void WaitSlot::write(std::string_view text, std::int64_t since) noexcept {
  std::uint32_t version = version_.load(std::memory_order_relaxed);
  if (is_odd(version) || !version_.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel)) return;
  const std::size_t length = std::min(text.size(), longest);
  for (std::size_t begin = 0; begin < length; begin += sizeof(std::uint64_t)) {
    std::array<char, sizeof(std::uint64_t)> bytes{};
    std::ranges::transform(text.substr(begin, std::min(bytes.size(), length - begin)), bytes.begin(), visible);
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    words_[begin / sizeof word].store(word, std::memory_order_release);
  }
  since_.store(since, std::memory_order_release);
  length_.store(static_cast<std::uint32_t>(length), std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

WaitSlot::Line WaitSlot::read() const {
  for (int reads = 0; reads < reads_at_most; ++reads) {
    const std::uint32_t version = version_.load(std::memory_order_acquire);
    if (version == 0) return {.state = State::unused};
    std::array<std::uint64_t, longest / sizeof(std::uint64_t)> words;
    std::ranges::transform(words_, words.begin(),
                           [](const auto& word) { return word.load(std::memory_order_acquire); });
    const std::int64_t since = since_.load(std::memory_order_acquire);
    const std::size_t length = std::min<std::size_t>(length_.load(std::memory_order_acquire), longest);
    if (!is_odd(version) && version_.load(std::memory_order_relaxed) == version) {
      if (length == 0) return {.state = State::idle};
      std::string text(longest, '\0');
      std::memcpy(text.data(), words.data(), longest);
      text.resize(length);
      return {.state = State::waiting, .text = std::move(text), .since = since};
    }
    yield_thread();
  }
  return {.state = State::unreadable};
}

std::string WaitBoardTicket::text() const {
  std::array<char, hexadecimal> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), key, hexadecimal);
  return std::to_string(descriptor) + ':' + std::to_string(slot) + ':' + std::string(digits.data(), end);
}

std::optional<WaitBoardTicket> WaitBoardTicket::parse(std::string_view text) noexcept {
  WaitBoardTicket ticket;
  constexpr int decimal = 10;
  if (!take_number(text, ticket.descriptor, decimal, true) || !take_number(text, ticket.slot, decimal, true) ||
      !take_number(text, ticket.key, hexadecimal, false) || ticket.descriptor < 0)
    return {};
  return ticket;
}

}  // namespace bowline
