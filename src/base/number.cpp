// SPDX-License-Identifier: BSD-3-Clause
#include "base/number.hpp"

#include <cctype>
#include <charconv>

namespace bowline {
namespace {

std::int64_t unit_of(char suffix) noexcept {
  switch (std::toupper(static_cast<unsigned char>(suffix))) {
    case 'K':
      return 1 << 10;
    case 'M':
      return 1 << 20;
    case 'G':
      return 1 << 30;
    default:
      return 0;
  }
}

}  // namespace

std::optional<std::int64_t> parse_number(std::string_view text) noexcept {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, number);
  if (status != std::errc()) return std::nullopt;
  if (rest == end) return number;
  const std::int64_t unit = unit_of(*rest);
  if (rest + 1 != end || unit == 0 || __builtin_mul_overflow(number, unit, &number)) return std::nullopt;
  return number;
}

std::string number_text(std::size_t number) {
  constexpr const char* suffixes[] = {"", "K", "M", "G"};
  int unit = 0;
  while (unit < 3 && number != 0 && number % 1024 == 0) {
    number /= 1024;
    ++unit;
  }
  return std::to_string(number) + suffixes[unit];
}

}  // namespace bowline
