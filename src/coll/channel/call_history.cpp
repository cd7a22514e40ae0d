// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/call_history.hpp"

#include <fmt/format.h>

#include "dtype/predefined.hpp"

namespace bowline::coll {

std::string in_words(const CallHistory& history) {
  if (history.calls == 0) return "no collective";
  std::string words =
      history.calls == 1 ? fmt::format("1 collective, {}", in_words(history.last.kind()))
                         : fmt::format("{} collectives, the last one {}", history.calls, in_words(history.last.kind()));
  if (history.last.op() != dtype::Operator::count_)
    words += fmt::format(" with {}", dtype::op_of(history.last.op()).name());
  if (history.last.root() >= 0) words += fmt::format(" with root {}", history.last.root());
  return words;
}

}  // namespace bowline::coll
