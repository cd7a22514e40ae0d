// SPDX-License-Identifier: BSD-3-Clause
// WayChoice: the choice of the way for messages of one kind, by what such messages have cost. A kind is: a nearness of
// the two processes, a size class, and whether messages come one at a time or in rows (ways.hpp).
//
// At first each way carries a few messages, then the cheapest one carries all of them. Now and then another way carries
// two: a look, because processes move to other cores and machines get other load. The way in use is measured too, and
// if it becomes dearer than another one was, that one gets a look at once. A look decides: a way is taken into use if
// it costs clearly less (`hysteresis`) than the one in use. After a change looks are frequent, later ever rarer.
//
// A cost is one of a few measurements in a row, because a message takes long for reasons that have nothing to do with
// its way: the sender computes and does not look for the answer, or another program has the core. An average would hold
// that against the way that happened to be in use. Of messages that come alone the least measurement counts, which is
// wrong only if all of the row were delayed. Of messages in rows it is the median: behind a delay they arrive faster
// than they could be sent, because they have waited in the buffers.
//
// The tries of ways that turn out to be dearer have a price, which a TryBudget bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "proto/ways/way.hpp"

namespace bowline::proto {

/// How much time tries may still cost beyond the same messages in the way that was in use. Nanoseconds.
class TryBudget {
 public:
  explicit TryBudget(double nanoseconds) noexcept : left_(nanoseconds), kept_(nanoseconds / 2) {}
  double left() const noexcept { return left_; }
  /// Whether the first messages of some kind in some way may cost this much more each. They may turn out to cost still
  /// more, so something is kept back.
  bool allows_try(double price) const noexcept { return left_ > 0 && price <= left_ / 2; }
  /// The same for looks at ways whose costs are known. They are many, and leave half of all for tries.
  bool allows_look(double price) const noexcept { return price <= (left_ - kept_) / 4; }
  void spend(double price) noexcept { left_ -= price; }

 private:
  double left_;
  double kept_;
};

class WayChoice {
 public:
  enum class Counts : std::uint8_t { least, median };
  explicit WayChoice(Counts counts = Counts::least) noexcept : counts_(counts) {}

  struct Next {
    Way way;
    bool timed;  ///< whether took() should be told what the message costs
    bool tried;  ///< whether it is another way than the one in use
  };
  /// How much of a message of this length goes the way if it is tried; the rest goes the way in use. A way can be
  /// several times as dear as another, and a single try with a very long message would use up the budget.
  static constexpr std::size_t tried_bytes(Way way, std::size_t bytes) noexcept {
    constexpr std::array<std::size_t, way_count> part{64 << 10, 256 << 10, 128 << 10, 128 << 10};
    return bytes < 2 * part[index_of(way)] ? bytes : part[index_of(way)];
  }
  /// The way of the next message; the one in use if no tries are allowed. `possible` is not empty. `similar`: the
  /// choice for the neighbouring size class, whose costs serve as expectations; may be nullptr.
  Next next(WaySet possible, std::size_t bytes, const WayChoice* similar, const TryBudget& budget,
            bool tries_allowed = true) noexcept;
  /// What a timed message of this length, or the part of it that was tried, has cost, in nanoseconds.
  void took(Way way, double nanoseconds, std::size_t bytes, TryBudget& budget) noexcept;
  /// The same for a message whose cost says nothing about later ones, or is not known (0).
  void took_unknown(Way way, double nanoseconds, std::size_t bytes, TryBudget& budget) noexcept;

  Way in_use() const noexcept { return in_use_; }
  /// Nanoseconds per byte; 0 if the way has not been measured.
  float cost(Way way) const noexcept { return cost_[index_of(way)]; }
  /// Whether some messages go a certain way to learn what it costs.
  bool is_trying() const noexcept { return trial_.has_value(); }
  /// Whether a cost of the way in use is known.
  bool known() const noexcept { return cost(in_use_) > 0; }
  /// Messages between two looks, at present.
  unsigned interval() const noexcept { return interval_; }

  static constexpr float hysteresis = 0.96F;

 private:
  /// Costs of a few messages in one way.
  class Row {
   public:
    static constexpr std::size_t most = 5;
    void add(float cost) noexcept { costs_[count_++ % most] = cost; }
    std::size_t count() const noexcept { return count_; }
    float result(Counts counts) const noexcept;
    void clear() noexcept { count_ = 0; }

   private:
    std::array<float, most> costs_{};
    std::uint8_t count_ = 0;
  };
  /// Messages that try a way.
  struct Trial {
    Way way;
    std::uint8_t to_come;      ///< messages that will get the way
    std::uint8_t awaited = 0;  ///< messages that have got it and whose cost is not known yet
    std::uint8_t unknown = 0;  ///< messages whose cost has remained unknown
    Row costs{};
  };

  void begin_trial(WaySet possible, std::size_t bytes, const WayChoice* similar, const TryBudget& budget) noexcept;
  bool may_try(Way way, float likely, std::size_t bytes, const TryBudget& budget) const noexcept;
  bool try_new_way(WaySet possible, std::size_t bytes, const WayChoice* similar, const TryBudget& budget) noexcept;
  bool look_at_cheaper(WaySet possible) noexcept;
  void look_around(WaySet possible, std::size_t bytes, const TryBudget& budget) noexcept;
  float expected(Way way, const WayChoice* similar) const noexcept;
  double price(float cost, std::size_t bytes) const noexcept;
  std::uint8_t length_of(unsigned messages) const noexcept;
  bool is_due() noexcept;
  void note_in_use(float cost) noexcept;
  void note_trial(float cost, std::size_t bytes, TryBudget& budget) noexcept;
  void end_trial() noexcept;
  void use(Way way) noexcept;
  void schedule_looks(bool changed) noexcept;

  std::array<float, way_count> cost_{};
  Row row_;  ///< of the way in use, since its cost was last changed
  std::optional<Trial> trial_;
  std::uint32_t interval_ = first_interval;
  std::uint32_t since_trial_ = 0;  ///< messages
  Way in_use_ = Way::short_pieces;
  Way before_ = Way::short_pieces;  ///< the one in use before the last change
  Counts counts_;
  WaySet passed_over_;               ///< ways that are not tried because they are probably much dearer
  std::uint8_t until_timed_ = 0;     ///< messages
  std::uint8_t turn_ = 0;            ///< of looks
  std::uint8_t frequent_looks_ = 0;  ///< left

  static constexpr std::uint32_t first_interval = 16;
  static constexpr std::uint32_t longest_interval = 1 << 14;
};

}  // namespace bowline::proto
