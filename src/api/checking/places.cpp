// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>

#include "base/diagnosis/source_lines.hpp"

namespace bowline::api::checking {

std::vector<std::string> in_words(std::span<const MpiCall> calls) {
  std::vector<CodeAddress> addresses;
  for (const MpiCall& call : calls) addresses.push_back({.process = getpid(), .address = call.returns_to});
  const std::vector<std::string> lines = source_lines(addresses);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < calls.size(); ++i)
    words.push_back(lines[i].empty() ? std::string(calls[i].function)
                                     : fmt::format("{} ({})", calls[i].function, lines[i]));
  return words;
}

}  // namespace bowline::api::checking
