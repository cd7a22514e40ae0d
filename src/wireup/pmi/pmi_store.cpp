// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmi/pmi_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

constexpr std::string_view text_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Slurm's plugin reads a request, with its end, into 1024 bytes, although it gives 1024 as the limit of the value
/// alone; a longer one is cut.
constexpr std::size_t longest_request = 1000;
/// Room for the words around a value, without the name of the store: "cmd=put kvsname= key= value=", a key of up to 40
/// characters, and the number of parts.
constexpr std::size_t other_words = 100;
constexpr int number_of_parts = 8;  ///< characters, with the colon
constexpr int longest_key = 28;
constexpr std::size_t shortest_part = 32;

std::string key_of(const std::string& name, std::size_t part) {
  return fmt::format("bowline-{}-{}", name, part);
}

[[noreturn]] void refuse_text(std::string_view text) {
  throw Error(ErrorClass::other,
              fmt::format("the launcher's PMI store has \"{}\" for a value that this library has put in another form: "
                          "ranks may run different versions of Bowline",
                          text.substr(0, 80)));
}

std::uint32_t value_of(char digit, std::string_view text) {
  const std::size_t place = text_digits.find(digit);
  if (place == std::string_view::npos) refuse_text(text);
  return static_cast<std::uint32_t>(place);
}

}  // namespace

std::string to_pmi_text(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  int count = 0;
  const auto take = [&](int shift) { text.push_back(text_digits[bits >> shift & 63U]); };
  for (const std::byte byte : bytes) {
    bits = (bits << 8 | std::to_integer<std::uint32_t>(byte)) & 0xffffU;
    for (count += 8; count >= 6; count -= 6) take(count - 6);
  }
  if (count > 0) text.push_back(text_digits[bits << (6 - count) & 63U]);
  return text;
}

std::vector<std::byte> from_pmi_text(std::string_view text) {
  if (text.size() % 4 == 1) refuse_text(text);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char digit : text) {
    bits = (bits << 6 | value_of(digit, text)) & 0xffffU;
    count += 6;
    if (count >= 8) bytes.push_back(static_cast<std::byte>(bits >> (count -= 8)));
  }
  return bytes;
}

PmiStore::PmiStore(PmiChannel& channel) : channel_(channel) {
  const PmiLine limits = channel_.call("cmd=get_maxes", "maxes");
  const int keys = limits.number("keylen_max"), values = limits.number("vallen_max");
  name_ = channel_.call("cmd=get_my_kvsname", "my_kvsname").find("kvsname").value_or("");
  const std::size_t taken = name_.size() + other_words;
  const std::size_t room = taken < longest_request ? longest_request - taken : 0;
  longest_part_ = std::min(room, static_cast<std::size_t>(std::max(values - 1 - number_of_parts, 0)));
  if (longest_part_ < shortest_part || keys < longest_key || name_.empty()) {
    throw Error(ErrorClass::other,
                fmt::format("the launcher's PMI store, \"{}\", takes keys of {} characters and values of {}, but this "
                            "library needs {} and {}, and a name of up to {}",
                            name_, keys, values, longest_key, shortest_part + number_of_parts + 1,
                            longest_request - other_words - shortest_part));
  }
}

// The first value begins with the number of values.
void PmiStore::put(const std::string& name, std::span<const std::byte> bytes) {
  const std::string all = to_pmi_text(bytes);
  const std::size_t count = std::max<std::size_t>(1, (all.size() + longest_part_ - 1) / longest_part_);
  for (std::size_t part = 0; part < count; ++part) {
    std::string value = all.substr(part * longest_part_, longest_part_);
    if (part == 0) value = fmt::format("{}:{}", count, value);
    channel_.call(fmt::format("cmd=put kvsname={} key={} value={}", name_, key_of(name, part), value), "put_result");
  }
}

void PmiStore::sync() {
  channel_.call("cmd=barrier_in", "barrier_out");
}

std::optional<std::vector<std::byte>> PmiStore::get(const std::string& name) {
  const std::optional<std::string> first = get_text(key_of(name, 0));
  if (!first) return {};
  std::size_t count = 0;
  const auto [colon, status] = std::from_chars(first->data(), first->data() + first->size(), count);
  if (status != std::errc() || colon == first->data() + first->size() || *colon != ':') refuse_text(*first);
  std::string all = first->substr(static_cast<std::size_t>(colon - first->data()) + 1);
  for (std::size_t part = 1; part < count; ++part) {
    const std::optional<std::string> next = get_text(key_of(name, part));
    if (!next) refuse_text(*first);
    all += *next;
  }
  return from_pmi_text(all);
}

std::optional<std::string> PmiStore::get_text(const std::string& key) {
  const PmiLine answer = channel_.ask(fmt::format("cmd=get kvsname={} key={}", name_, key), "get_result");
  if (answer.refuses()) return {};
  return std::string(answer.find("value").value_or(""));
}

}  // namespace bowline::wireup
