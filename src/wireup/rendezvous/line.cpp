// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

/// Takes a line apart from its front, and objects to it.
class LineReader {
 public:
  LineReader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  std::string_view rest() const { return rest_; }

  /// What stands before the next `separator`, which goes too.
  std::string_view until(char separator) {
    const std::size_t end = rest_.find(separator);
    if (end == std::string_view::npos) refuse(fmt::format("has no \"{}\" where one is needed", separator));
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return found;
  }

  /// An address in brackets, or a name up to the colon.
  std::string_view host() {
    const bool bracketed = rest_.starts_with('[');
    if (bracketed) rest_.remove_prefix(1);
    const std::string_view found = until(bracketed ? ']' : ':');
    if (bracketed && !until(':').empty()) refuse("has other text between the \"]\" and the port");
    if (found.empty()) refuse("names no host");
    return found;
  }

  int number(std::string_view text, std::string_view what, int least, int most) const {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
      refuse(fmt::format("has the {} \"{}\", which must be {} to {}", what, text, least, most));
    return value;
  }

  std::string_view secret() {
    const std::string_view found = until(',');
    if (found.size() < RendezvousLine::shortest_secret || found.size() > RendezvousLine::longest_secret) {
      refuse(fmt::format("has a secret of {} characters, which must have {} to {}", found.size(),
                         RendezvousLine::shortest_secret, RendezvousLine::longest_secret));
    }
    if (!std::ranges::all_of(found, [](char each) { return each > ' ' && each <= '~'; }))
      refuse("has a secret with other characters than letters, digits and signs of ASCII");
    return found;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorClass::arg, fmt::format("{} {}: give HOST:PORT/SECRET,SIZE or HOST:PORT/SECRET,SIZE,RANK, as "
                                             "bowline-rendezvous prints it",
                                             name_, why));
  }

 private:
  std::string_view rest_;
  std::string_view name_;
};

}  // namespace

RendezvousLine RendezvousLine::read(std::string_view text, std::string_view name) {
  LineReader reader(text, name);
  RendezvousLine line;
  line.host = reader.host();
  line.port = static_cast<std::uint16_t>(
      reader.number(reader.until('/'), "port", 1, std::numeric_limits<std::uint16_t>::max()));
  line.secret = reader.secret();
  const bool with_rank = reader.rest().find(',') != std::string_view::npos;
  const std::string_view size = with_rank ? reader.until(',') : reader.rest();
  line.size = reader.number(size, "size", 1, std::numeric_limits<int>::max());
  if (with_rank) line.rank = reader.number(reader.rest(), "rank", 0, line.size - 1);
  return line;
}

std::string RendezvousLine::place() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

}  // namespace bowline::wireup
