// SPDX-License-Identifier: BSD-3-Clause
#include "base/tunable.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/number.hpp"
#include "base/other_variables.hpp"

namespace bowline {
namespace {

constexpr std::string_view prefix = "BOWLINE_";

// A function-local registry, because tunables of other files may be constructed before this file's globals.
std::vector<TunableBase*>& registered() {
  static std::vector<TunableBase*> list;
  return list;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

void warn_unknown(std::string_view name) {
  std::string nearest;
  std::size_t best = std::numeric_limits<std::size_t>::max();
  const auto compare = [&](std::string_view candidate) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) return;
    best = distance;
    nearest = candidate;
  };
  for (const TunableBase* tunable : TunableBase::all()) compare(tunable->environment_name());
  for (const OtherVariable& variable : other_variables) compare(variable.name);
  log::warning(
      "the environment variable {} sets nothing: no tunable has this name (nearest: {}; all: bowline-info --tunables)",
      name, nearest);
}

/// Calls `use` with the name, the tunable (nullptr if there is none) and the value of every variable with the prefix
/// BOWLINE_.
template <class Use>
void for_each_variable(const Use& use) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view pair(*entry);
    const std::size_t equals = pair.find('=');
    if (!pair.starts_with(prefix) || equals == std::string_view::npos) continue;
    const std::string_view name = pair.substr(0, equals);
    const auto tunable = std::ranges::find(TunableBase::all(), name, &TunableBase::environment_name);
    use(name, tunable != TunableBase::all().end() ? *tunable : nullptr, pair.substr(equals + 1));
  }
}

}  // namespace

TunableBase::TunableBase(const TunableTraits& traits, std::string_view name, std::string_view help)
    : traits_(traits), name_(name), help_(help) {
  auto& list = registered();
  const auto place = std::ranges::upper_bound(list, name, {}, &TunableBase::name);
  list.insert(place, this);
}

std::span<TunableBase* const> TunableBase::all() {
  return registered();
}

std::string TunableBase::environment_name() const {
  std::string text(prefix);
  for (const char c : name_) text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

template <class T>
std::int64_t Tunable<T>::parse(std::string_view text) const {
  const std::optional<std::int64_t> number = parse_number(text);
  if (!number || !allows(*number)) {
    throw Error(ErrorClass::arg, fmt::format("{} is \"{}\", but it must be a whole number from {} (K, M, G may follow)",
                                             environment_name(), text, range_text()));
  }
  return *number;
}

template <class T>
bool Tunable<T>::allows(std::int64_t number) const noexcept {
  return number >= static_cast<std::int64_t>(least_) && number <= static_cast<std::int64_t>(most_);
}

template <class T>
void Tunable<T>::set_number(std::int64_t number) {
  if (!allows(number)) parse(std::to_string(number));  // says what is allowed
  store(number);
}

template <class T>
TunableBase::Form Tunable<T>::form() const noexcept {
  if constexpr (std::is_same_v<T, bool>) return Form::flag;
  return std::is_same_v<T, int> ? Form::number : Form::size;
}

template <class T>
std::span<const std::string_view> Tunable<T>::words() const noexcept {
  static constexpr std::array<std::string_view, 2> no_and_yes{"no", "yes"};
  if constexpr (std::is_same_v<T, bool>) return no_and_yes;
  return {};
}

template class Tunable<bool>;
template class Tunable<int>;
template class Tunable<std::size_t>;

std::string ChoiceTunable::range_text() const {
  return fmt::format("{}", fmt::join(choices_, ", "));
}

void ChoiceTunable::set(std::string_view text) {
  const auto found = std::ranges::find(choices_, text);
  if (found == choices_.end()) {
    throw Error(ErrorClass::arg,
                fmt::format("{} is \"{}\", but it must be one of {}", environment_name(), text, range_text()));
  }
  value_ = *found;
}

std::int64_t ChoiceTunable::number() const noexcept {
  return std::ranges::find(choices_, value_) - choices_.begin();
}

void ChoiceTunable::set_number(std::int64_t number) {
  const bool exists = number >= 0 && number < std::ssize(choices_);
  set(exists ? std::string(choices_[static_cast<std::size_t>(number)]) : std::to_string(number));
}

namespace tunables {

void load_environment() {
  for_each_variable([](std::string_view, TunableBase* tunable, std::string_view value) {
    if (tunable != nullptr && !tunable->is_kept()) tunable->set(value);
  });
}

void warn_of_unknown_names() {
  for_each_variable([](std::string_view name, const TunableBase* tunable, std::string_view) {
    const bool known = tunable != nullptr ||
                       std::ranges::find(other_variables, name, &OtherVariable::name) != std::end(other_variables);
    if (!known) warn_unknown(name);
  });
}

}  // namespace tunables
}  // namespace bowline
