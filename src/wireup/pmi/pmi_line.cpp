// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmi/pmi_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.hpp"

namespace bowline::wireup {

// A word without "=" continues the value before it: some servers send sentences as msg=.
PmiLine::PmiLine(std::string text) : text_(std::move(text)) {
  std::istringstream list(text_);
  for (std::string word; list >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      words_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    } else if (!words_.empty()) {
      words_.back().second += ' ' + word;
    } else {
      break;
    }
  }
  if (words_.empty() || words_.front().first != "cmd") {
    throw Error(ErrorClass::other,
                fmt::format("the launcher says \"{}\" over PMI, but its lines must begin with cmd=", text_));
  }
}

std::optional<std::string_view> PmiLine::find(std::string_view name) const noexcept {
  const auto found = std::ranges::find(words_, name, [](const auto& word) { return std::string_view(word.first); });
  return found == words_.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

int PmiLine::number(std::string_view name) const {
  const std::string_view value = find(name).value_or("");
  int number = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (status == std::errc() && end == value.data() + value.size()) return number;
  throw Error(
      ErrorClass::other,
      fmt::format("the launcher's answer over PMI is \"{}\", but it must have {}= with a whole number", text_, name));
}

}  // namespace bowline::wireup
