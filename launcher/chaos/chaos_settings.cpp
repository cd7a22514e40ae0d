// SPDX-License-Identifier: BSD-3-Clause
// See chaos_settings.hpp.
#include "launcher/chaos/chaos_settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

constexpr std::string_view option = "--chaos";
constexpr Word<ChaosKind> kind_words[] = {
    {"kill", ChaosKind::kill}, {"stop", ChaosKind::stop}, {"delay", ChaosKind::delay}, {"link", ChaosKind::link}};
constexpr Word<bool> from_words[] = {{"init", false}, {"start", true}};

/// The whole text as a number; nothing if it is none.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

double to_real(std::string_view key, std::string_view text, double least, double most, std::string_view example) {
  const auto number = number_of<double>(text);
  if (number && std::isfinite(*number) && *number >= least && *number <= most) return *number;
  throw UsageError("{} {}={}: must be a number from {} to {}; write {}={}, for example", option, key, text, least, most,
                   key, example);
}

/// Reads the words one after the other.
class Reader {
 public:
  explicit Reader(ChaosSettings& settings) : settings_(settings) {}

  void read(std::string_view word) {
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      key_ = word.substr(0, equals);
      if (key_ == "kinds") settings_.kinds.clear();
      return set(word.substr(equals + 1));
    }
    if (key_ == "kinds") return set(word);  // a further one
    throw UsageError("{} {}: after the seed stand rate=, kinds=, most=, after= and from=, separated by commas", option,
                     word);
  }

 private:
  void set(std::string_view value) {
    constexpr double least_rate = 0.001, most_rate = 1000, most_seconds = 1e6;
    if (key_ == "rate") {
      settings_.rate = to_real(key_, value, least_rate, most_rate, "2.5");
    } else if (key_ == "after") {
      const std::chrono::duration<double> seconds(to_real(key_, value, 0, most_seconds, "1.5"));
      settings_.after = std::chrono::round<std::chrono::milliseconds>(seconds);
    } else if (key_ == "kinds") {
      settings_.kinds.push_back(to_choice<ChaosKind>("--chaos kinds", value, kind_words));
    } else if (key_ == "most") {
      settings_.most = to_number("--chaos most", value, "the number of ranks that may be killed", 1, 1 << 30);
    } else if (key_ == "from") {
      settings_.from_start = to_choice<bool>("--chaos from", value, from_words);
    } else {
      throw UsageError("{} {}={}: there is no such setting; allowed are rate, kinds, most, after and from", option,
                       key_, value);
    }
  }

  ChaosSettings& settings_;
  std::string key_;
};

}  // namespace

ChaosSettings parse_chaos(std::string_view text) {
  const std::vector<std::string> words = split(text, ',');
  ChaosSettings settings;
  const auto seed = number_of<std::uint64_t>(words.front());
  if (!seed) {
    throw UsageError("{} {}: must begin with a seed, a whole number from 0 to {}; write {} 42, for example", option,
                     text, UINT64_MAX, option);
  }
  settings.seed = *seed;
  Reader reader(settings);
  for (size_t i = 1; i < words.size(); ++i) reader.read(words[i]);
  // The order of the words, and words that stand twice, make no other deeds.
  std::ranges::sort(settings.kinds);
  settings.kinds.erase(std::unique(settings.kinds.begin(), settings.kinds.end()), settings.kinds.end());
  return settings;
}

}  // namespace bowline::launcher
