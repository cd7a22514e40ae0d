// SPDX-License-Identifier: BSD-3-Clause
// Counters and levels: one declaration names a number that the library counts, for statistics, tools (MPI_T) and tests.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "base/atomic.hpp"
#include "base/variable.hpp"

namespace bowline {

/// A number that any thread may read at any time; reading synchronizes nothing.
class Measure {
 public:
  enum class Kind : std::uint8_t {
    counter,  ///< only grows
    timer,    ///< a counter of nanoseconds
    level,    ///< grows and shrinks
    peak,     ///< the highest value of a level
  };

  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;

  virtual std::uint64_t value() const noexcept = 0;
  /// `change` more readers want to know the value from now on. Any thread.
  virtual void want(int /*change*/) noexcept {}
  Kind kind() const noexcept { return kind_; }
  Category category() const noexcept { return category_; }
  std::string_view name() const noexcept { return name_; }
  std::string_view help() const noexcept { return help_; }

  /// All measures of the process, sorted by name.
  static std::span<Measure* const> all();

 protected:
  Measure(Kind kind, Category category, std::string_view name, std::string_view help);
  ~Measure() = default;

 private:
  Kind kind_;
  Category category_;
  std::string_view name_;
  std::string_view help_;
};

/// Declared at namespace scope in the file that counts. Any thread in any lane may count. Never reset.
class Counter final : public Measure {
 public:
  /// `kind`: counter or timer.
  Counter(Category category, std::string_view name, std::string_view help, Kind kind = Kind::counter)
      : Measure(kind, category, name, help) {}

  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept override { return value_.load(std::memory_order_relaxed); }

 private:
  Atomic<std::uint64_t> value_{0};
};

/// How many things of a kind exist now, and, as a second measure with the name `peak_name`, the most that there have
/// been. Declared as a counter is. Each object that makes such things owns a Part, which counts them.
class Level final : public Measure {
 public:
  /// Written by one thread at a time, so that counting takes no atomic operation but loads and stores.
  class Part {
   public:
    explicit Part(Level& level) : level_(level) { level_.enter(*this); }
    ~Part() { level_.leave(*this); }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

    void grow(std::uint64_t n = 1) noexcept {
      const std::uint64_t now = value_.load(std::memory_order_relaxed) + n;
      value_.store(now, std::memory_order_relaxed);
      if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
    }
    void shrink(std::uint64_t n = 1) noexcept {
      value_.store(value_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
    }

   private:
    friend class Level;
    Level& level_;
    Atomic<std::uint64_t> value_{0}, peak_{0};
  };

  Level(Category category, std::string_view name, std::string_view peak_name, std::string_view help)
      : Measure(Kind::level, category, name, help), peak_(*this, category, peak_name, help) {}

  std::uint64_t value() const noexcept override;

 private:
  /// The sum of the peaks of all parts, which is the highest value if there is one part.
  class Peak final : public Measure {
   public:
    Peak(const Level& of, Category category, std::string_view name, std::string_view help)
        : Measure(Kind::peak, category, name, help), of_(of) {}
    std::uint64_t value() const noexcept override { return of_.highest(); }

   private:
    const Level& of_;
  };

  std::uint64_t highest() const noexcept;
  std::uint64_t sum(const Atomic<std::uint64_t> Part::*number) const noexcept;
  void enter(Part& part);
  void leave(Part& part) noexcept;

  Peak peak_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<Part*> parts_;
  std::uint64_t past_peak_ = 0;  ///< the highest value before a part has left
};

}  // namespace bowline
