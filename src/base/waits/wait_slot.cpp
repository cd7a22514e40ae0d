// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/wait_slot.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "base/this_thread.hpp"

namespace bowline {
namespace {

constexpr int reads_at_most = 1000;  // a write takes less than a microsecond, or the time until its thread runs again
constexpr int base_of_key = 16;
constexpr std::uint16_t proper_end = 0xffff;  // no status of a process is that plus or minus 1

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

void WaitSlot::write(const Wait& wait) noexcept {
  std::uint32_t version = version_.load(std::memory_order_relaxed);
  if (is_odd(version) || !version_.compare_exchange_strong(version, version + 1, std::memory_order_acq_rel)) return;
  const std::string_view text = wait.text.substr(0, longest);
  Content content{.since = wait.since,
                  .activity = wait.activity,
                  .returns_to = wait.returns_to,
                  .process = getpid(),
                  .length = static_cast<std::uint32_t>(text.size()),
                  .targets = wait.targets,
                  .text = {}};
  std::ranges::transform(text, content.text.begin(), visible);
  const auto bits = std::bit_cast<std::array<std::uint64_t, words>>(content);
  const std::size_t used = (offsetof(Content, text) + text.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < used; ++i) words_[i].store(bits[i], std::memory_order_release);
  version_.store(version + 2, std::memory_order_release);
}

WaitSlot::Found WaitSlot::find() const noexcept {
  for (int reads = 0; reads < reads_at_most; ++reads) {
    const std::uint32_t version = version_.load(std::memory_order_acquire);
    if (version == 0) return {.state = State::unused};
    std::array<std::uint64_t, words> bits;
    std::ranges::transform(words_, bits.begin(), [](const auto& word) { return word.load(std::memory_order_acquire); });
    if (!is_odd(version) && version_.load(std::memory_order_relaxed) == version) {
      auto content = std::bit_cast<Content>(bits);
      content.length = std::min<std::uint32_t>(content.length, longest);
      return {content.length == 0 ? State::idle : State::waiting, version, content};
    }
    yield_thread();
  }
  return {};
}

WaitSlot::Line WaitSlot::read() const {
  const auto [state, version, content] = find();
  if (version == 0) return {.state = state};
  return {.state = state,
          .text = std::string(content.text.data(), content.length),
          .since = content.since,
          .returns_to = content.returns_to,
          .targets = content.targets,
          .activity = content.activity,
          .process = content.process,
          .version = version};
}

WaitSlot::Glimpse WaitSlot::glimpse() const noexcept {
  const Found found = find();
  return {found.state, found.content.since, found.content.length, found.content.text};
}

void WaitSlot::write_calls(std::uint64_t digest, std::string_view call_words) noexcept {
  std::array<char, longest_last_call> text{};
  std::copy_n(call_words.begin(), std::min(call_words.size(), text.size()), text.begin());
  const auto bits = std::bit_cast<std::array<std::uint64_t, longest_last_call / sizeof(std::uint64_t)>>(text);
  for (std::size_t i = 0; i < bits.size(); ++i) calls_words_[i].store(bits[i], std::memory_order_relaxed);
  calls_digest_.store(digest, std::memory_order_release);
}

std::optional<WaitSlot::CallsMade> WaitSlot::read_calls() const {
  const std::uint64_t digest = calls_digest_.load(std::memory_order_acquire);
  if (digest == 0) return {};
  std::array<std::uint64_t, longest_last_call / sizeof(std::uint64_t)> bits;
  std::ranges::transform(calls_words_, bits.begin(),
                         [](const auto& word) { return word.load(std::memory_order_relaxed); });
  const auto text = std::bit_cast<std::array<char, longest_last_call>>(bits);
  return CallsMade{digest, std::string(text.begin(), std::ranges::find(text, '\0'))};
}

void WaitSlot::write_end(End end) noexcept {
  end_.store(end.lost ? static_cast<std::uint16_t>(end.status + 1) : proper_end, std::memory_order_release);
}

std::optional<WaitSlot::End> WaitSlot::read_end() const noexcept {
  const std::uint16_t end = end_.load(std::memory_order_acquire);
  if (end == 0) return {};
  return end == proper_end ? End{.lost = false, .status = 0} : End{.lost = true, .status = end - 1};
}

std::string WaitBoardTicket::text() const {
  std::array<char, 2 * sizeof key> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), key, base_of_key);
  return std::to_string(descriptor) + ':' + std::to_string(slot) + ':' + std::string(digits.data(), end);
}

std::optional<WaitBoardTicket> WaitBoardTicket::parse(std::string_view text) noexcept {
  WaitBoardTicket ticket;
  constexpr int decimal = 10;
  if (!take_number(text, ticket.descriptor, decimal, true) || !take_number(text, ticket.slot, decimal, true) ||
      !take_number(text, ticket.key, base_of_key, false) || ticket.descriptor < 0)
    return {};
  return ticket;
}

std::optional<RankBoardName> RankBoardName::parse(std::string_view text) {
  constexpr int decimal = 10;
  RankBoardName name;
  if (!text.starts_with(prefix) || !text.substr(prefix.size()).starts_with(':')) return {};
  text.remove_prefix(prefix.size() + 1);
  if (!take_number(text, name.rank, decimal, true) || !take_number(text, name.ranks, decimal, true) || name.rank < 0 ||
      name.rank >= name.ranks)
    return {};
  name.job = text;
  return name;
}

}  // namespace bowline
