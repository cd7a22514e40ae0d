// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/number.hpp"

namespace bowline::coll {
namespace {

/// A condition that is one word.
struct Flag {
  std::string_view word;
  Only When::*member;
  Only value;
};
constexpr Flag flags[] = {{"oversubscribed", &When::oversubscribed, Only::if_so},
                          {"not-oversubscribed", &When::oversubscribed, Only::if_not},
                          {"one-node", &When::one_node, Only::if_so},
                          {"several-nodes", &When::one_node, Only::if_not},
                          {"shared-memory", &When::shared, Only::if_so},
                          {"no-shared-memory", &When::shared, Only::if_not},
                          {"layered", &When::layered, Only::if_so},
                          {"flat", &When::layered, Only::if_not},
                          {"ordered", &When::ordered, Only::if_so},
                          {"any-order", &When::ordered, Only::if_not}};
constexpr std::string_view allowed_conditions =
    "bytes<=N, bytes>=N, total<=N, ranks<=N, ranks>=N, oversubscribed, not-oversubscribed, one-node, several-nodes, "
    "shared-memory, "
    "no-shared-memory, layered, flat, ordered, any-order";

/// Reads one rule from left to right.
class Parser {
 public:
  Parser(std::string_view text, std::string_view origin) : text_(text), origin_(origin), rest_(text) {}

  Rule rule() {
    Rule made{operation(), {}, nullptr};
    while (!take("=")) condition(made.when);
    made.algorithm = algorithm(made.operation);
    if (take(":")) made.segment = segment(*made.algorithm);
    skip_spaces();
    if (!rest_.empty()) refuse("{} is too much: a rule ends with the algorithm and its segment", quoted(rest_));
    return made;
  }

 private:
  template <class... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(ErrorClass::arg, fmt::format("{}: in the rule \"{}\", {}", origin_, text_,
                                             fmt::format(format, std::forward<Args>(args)...)));
  }
  static void list(std::string& names, std::string_view name) {
    fmt::format_to(std::back_inserter(names), "{}{}", names.empty() ? "" : ", ", name);
  }
  static std::string quoted(std::string_view word) { return fmt::format("\"{}\"", word); }

  void skip_spaces() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
  }
  bool take(std::string_view sign) {
    skip_spaces();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }
  std::string_view word() {
    skip_spaces();
    const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-'; };
    const auto end = std::ranges::find_if_not(rest_, belongs);
    const auto found = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(found.size());
    return found;
  }

  Operation operation() {
    const std::string_view name = word();
    if (const auto found = find_operation(name)) return *found;
    std::string known;
    for (int i = 0; i < operations; ++i) list(known, name_of(static_cast<Operation>(i)));
    refuse("{} is no operation; there are {}", quoted(name), known);
  }

  // A comparison without a word before it concerns bytes.
  void condition(When& when) {
    const std::string_view subject = word();
    const auto flag = std::ranges::find(flags, subject, &Flag::word);
    if (flag != std::end(flags)) {
      when.*flag->member = flag->value;
      return;
    }
    if (subject == "ranks") {
      const bool at_most = comparison(subject);
      (at_most ? when.most_ranks : when.least_ranks) = static_cast<int>(number(1, std::numeric_limits<int>::max()));
    } else if (subject == "bytes" || subject.empty()) {
      const bool at_most = comparison(subject);
      (at_most ? when.most_bytes : when.least_bytes) = bytes(0);
    } else if (subject == "total") {
      if (!comparison(subject)) refuse("\"total\" needs <= and a number of bytes");
      when.most_total = bytes(0);
    } else {
      refuse("{} is no condition; allowed are {}", quoted(subject), allowed_conditions);
    }
  }

  /// True for <=, false for >=.
  bool comparison(std::string_view subject) {
    if (take("<=")) return true;
    if (take(">=")) return false;
    if (subject.empty()) refuse("an algorithm is missing: a rule is OPERATION CONDITIONS = ALGORITHM");
    refuse("{} needs <= or >= and a number; allowed conditions are {}", quoted(subject), allowed_conditions);
  }

  const Algorithm* algorithm(Operation operation) {
    const std::string_view name = word();
    if (const Algorithm* const found = find_algorithm(operation, name)) return found;
    std::string known;
    for (const Algorithm& each : algorithms(operation)) list(known, each.name);
    refuse("{} is no algorithm for {}; there are {}", quoted(name), name_of(operation), known);
  }

  std::size_t segment(const Algorithm& algorithm) {
    const std::size_t length = bytes(1);
    if (!algorithm.segmented) {
      refuse("{} moves its data in one piece: it takes no segment behind a colon", quoted(algorithm.name));
    }
    return length;
  }

  std::size_t bytes(std::int64_t least) { return static_cast<std::size_t>(number(least, std::int64_t{1} << 60)); }

  std::int64_t number(std::int64_t least, std::int64_t most) {
    const std::string_view digits = word();
    const auto value = parse_number(digits);
    if (!value || *value < least || *value > most) {
      refuse("{} is no whole number from {} to {} (K, M, G may follow)", quoted(digits), least, most);
    }
    return *value;
  }

  std::string_view text_;
  std::string_view origin_;
  std::string_view rest_;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

void add_number(std::string& text, std::string_view condition, std::size_t number) {
  fmt::format_to(std::back_inserter(text), " {}{}", condition, number_text(number));
}

}  // namespace

void parse_rules(std::string_view text, std::string_view origin, Rules& rules) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view rule = trimmed(text.substr(0, comma));
    if (!rule.empty()) rules.add(Parser(rule, origin).rule());
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

void read_rules(const std::string& path, Rules& rules) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorClass::arg, fmt::format("BOWLINE_COLLECTIVES_FILE is \"{}\", which cannot be read: {}", path,
                                             std::strerror(errno)));
  }
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    parse_rules(std::string_view(line).substr(0, line.find('#')), fmt::format("{}:{}", path, number), rules);
  }
  if (file.bad()) throw Error(ErrorClass::arg, fmt::format("{}: reading it failed", path));
}

std::string to_text(const Rule& rule) {
  const When& when = rule.when;
  const When always;
  std::string text(name_of(rule.operation));
  if (when.least_bytes != always.least_bytes) add_number(text, "bytes>=", when.least_bytes);
  if (when.most_bytes != always.most_bytes) add_number(text, "bytes<=", when.most_bytes);
  if (when.most_total != always.most_total) add_number(text, "total<=", when.most_total);
  if (when.least_ranks != always.least_ranks) {
    add_number(text, "ranks>=", static_cast<std::size_t>(when.least_ranks));
  }
  if (when.most_ranks != always.most_ranks) add_number(text, "ranks<=", static_cast<std::size_t>(when.most_ranks));
  for (const Flag& flag : flags) {
    if (when.*flag.member == flag.value) fmt::format_to(std::back_inserter(text), " {}", flag.word);
  }
  fmt::format_to(std::back_inserter(text), " = {}", rule.algorithm->name);
  if (rule.segment != 0) fmt::format_to(std::back_inserter(text), ":{}", number_text(rule.segment));
  return text;
}

}  // namespace bowline::coll
