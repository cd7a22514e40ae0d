// SPDX-License-Identifier: BSD-3-Clause
// Tunables: one declaration gives the variable its BOWLINE_* environment name, its range and its help text.
//
// Declare a tunable in the file that uses it, at namespace scope:
//   Tunable<std::size_t> eager_limit(Category::messages, "eager_limit", 8192, 0, 1 << 20, "largest message sent ...");
// Reading value() is a plain load. Values are set by load_environment(), at the process's first call of MPI and again
// where MPI starts, and by tools (MPI_T), whose values the environment does not change any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/variable.hpp"

namespace bowline {

/// The type-independent part of a tunable, which bowline-info prints, and which the environment and tools set.
class TunableBase {
 public:
  /// What its values are. Those of a flag and of a choice are numbers, with words().
  enum class Form : std::uint8_t { flag, number, size, choice, text };

  TunableBase(const TunableBase&) = delete;
  TunableBase& operator=(const TunableBase&) = delete;

  std::string_view name() const noexcept { return name_; }
  std::string_view help() const noexcept { return help_; }
  const TunableTraits& traits() const noexcept { return traits_; }
  /// "BOWLINE_" and the name in capitals.
  std::string environment_name() const;

  virtual std::string value_text() const = 0;
  virtual std::string default_text() const = 0;
  virtual std::string range_text() const = 0;
  /// Parses the value (numbers may end in K, M or G); throws Error (MPI_ERR_ARG) that names the allowed values.
  virtual void set(std::string_view text) = 0;

  virtual Form form() const noexcept = 0;
  /// The words for the numbers 0, 1, 2 ...; none for other forms.
  virtual std::span<const std::string_view> words() const noexcept { return {}; }
  /// The value as a number; a text has none.
  virtual std::int64_t number() const noexcept { return 0; }
  /// As set(), by a number.
  virtual void set_number(std::int64_t) {}

  /// From now on the environment does not change the value: a tool has set it.
  void keep() noexcept { kept_ = true; }
  bool is_kept() const noexcept { return kept_; }

  /// All tunables of the process, sorted by name.
  static std::span<TunableBase* const> all();

 protected:
  TunableBase(const TunableTraits& traits, std::string_view name, std::string_view help);
  ~TunableBase() = default;

 private:
  TunableTraits traits_;
  std::string_view name_;
  std::string_view help_;
  bool kept_ = false;
};

/// A whole number between `least` and `most`. T is bool, int or std::size_t.
template <class T>
class Tunable final : public TunableBase {
 public:
  Tunable(const TunableTraits& traits, std::string_view name, T default_value, T least, T most, std::string_view help)
      : TunableBase(traits, name, help), value_(default_value), default_(default_value), least_(least), most_(most) {}

  T value() const noexcept { return value_.load(std::memory_order_relaxed); }

  std::string value_text() const override { return std::to_string(value()); }
  std::string default_text() const override { return std::to_string(default_); }
  std::string range_text() const override { return std::to_string(least_) + " to " + std::to_string(most_); }
  void set(std::string_view text) override { store(parse(text)); }
  Form form() const noexcept override;
  std::span<const std::string_view> words() const noexcept override;
  std::int64_t number() const noexcept override { return static_cast<std::int64_t>(value()); }
  void set_number(std::int64_t number) override;

 private:
  std::int64_t parse(std::string_view text) const;
  bool allows(std::int64_t number) const noexcept;
  void store(std::int64_t number) noexcept { value_.store(static_cast<T>(number), std::memory_order_relaxed); }

  Atomic<T> value_;  ///< some may change while other threads read them
  T default_;
  T least_;
  T most_;
};

/// One of several words, of which the first is the default.
class ChoiceTunable final : public TunableBase {
 public:
  ChoiceTunable(const TunableTraits& traits, std::string_view name, std::initializer_list<std::string_view> choices,
                std::string_view help)
      : TunableBase(traits, name, help), choices_(choices), value_(choices_.front()) {}

  std::string_view value() const noexcept { return value_; }

  std::string value_text() const override { return std::string(value_); }
  std::string default_text() const override { return std::string(choices_.front()); }
  std::string range_text() const override;
  void set(std::string_view text) override;
  Form form() const noexcept override { return Form::choice; }
  std::span<const std::string_view> words() const noexcept override { return choices_; }
  std::int64_t number() const noexcept override;
  void set_number(std::int64_t number) override;

 private:
  std::vector<std::string_view> choices_;
  std::string_view value_;
};

/// Any text; empty by default. Its reader defines which texts are valid.
class TextTunable final : public TunableBase {
 public:
  /// `form`: describes the valid texts, for lists of tunables.
  TextTunable(const TunableTraits& traits, std::string_view name, std::string_view form, std::string_view help)
      : TunableBase(traits, name, help), form_(form) {}

  const std::string& value() const noexcept { return value_; }

  std::string value_text() const override { return value_; }
  std::string default_text() const override { return {}; }
  std::string range_text() const override { return std::string(form_); }
  void set(std::string_view text) override { value_ = text; }
  Form form() const noexcept override { return Form::text; }

 private:
  std::string_view form_;
  std::string value_;
};

namespace tunables {

/// Sets every tunable that has a BOWLINE_* variable, unless a tool has set it. Throws Error for a value that is not
/// allowed.
void load_environment();
/// Warns of each BOWLINE_* variable that belongs to no tunable, and names the most similar tunable.
void warn_of_unknown_names();

}  // namespace tunables
}  // namespace bowline
