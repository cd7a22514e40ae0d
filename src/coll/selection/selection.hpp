// SPDX-License-Identifier: BSD-3-Clause
// Selection: which algorithm serves a call. Rules are asked in this order: those of the communicator, those of the
// tunables `collectives` and `collectives_file`, the defaults. The first that fits a call and whose algorithm can serve
// it counts. All members know what it depends on, so all choose the same.
#pragma once

#include <array>
#include <cstddef>

#include "coll/selection/rules.hpp"
#include "coll/team.hpp"

namespace bowline::coll {

struct Choice {
  const Algorithm* algorithm = nullptr;
  std::size_t segment = 0;        ///< in bytes; 0 if the algorithm has none
  const Rule* refused = nullptr;  ///< the user's rule that fits the call, but whose algorithm cannot serve it
};

/// What has served a team's last call of each operation, and so serves the next one if it is like that.
class Choices {
 public:
  /// What decides, besides what is the same in all calls of a team.
  struct Call {
    std::size_t bytes = 0;
    std::size_t element = 0;  ///< of the reduction, if there is one
    bool ordered = false;
    bool turns = false;
    bool operator==(const Call&) const = default;
  };
  struct Entry {
    Call call;
    Choice choice{};  ///< without an algorithm: there was no call
  };
  Entry& of(Operation operation) noexcept { return entries_[static_cast<std::size_t>(operation)]; }

 private:
  std::array<Entry, operations> entries_{};
};

/// The length by which algorithms of the operation are chosen, which every member knows: that of the data of a
/// broadcast or a reduction, of one block of the other operations; 0 if no member knows those of the others.
std::size_t bytes_of(Operation operation, const Arguments& arguments) noexcept;

/// The length of slots beyond which the operation takes no fewer rounds through them, as far as that follows from
/// bytes_of().
std::size_t useful_slot(Operation operation, const Arguments& arguments, int members) noexcept;

/// Asks for the team's hierarchy if its members run on several nodes; throws Error if that cannot be made.
Situation situation_of(Team& team, Operation operation, const Arguments& arguments);
/// For a reduction whose result is to be the same wherever its ranks run: forgets what depends on that.
Situation without_placement(Operation operation, Situation call) noexcept;
/// That, if the tunable `coll_reproducible` asks for it.
Situation with_tunables(Operation operation, const Situation& call) noexcept;

/// Whether the algorithm's constraints allow the call.
bool serves(const Algorithm& algorithm, const Situation& call) noexcept;

/// A short walk, without locks and allocation. `own`: the rules of the communicator; nullptr if it has none.
Choice choose(Operation operation, const Situation& call, const Rules* own = nullptr);

/// The same for a call of members of the team; holds until its next call of the operation. `turns`: whether it may use
/// memory that they share. For every call of the user: one function, so that the compiler sees through it.
const Choice& choose(Team& team, Operation operation, const Arguments& arguments, bool turns);

/// The choice's segment for these arguments: segments of a reduction hold whole elements, at least one.
std::size_t whole_elements(std::size_t segment, const Arguments& arguments) noexcept;

/// Reads the user's rules from the tunables and the file they name. To be called before the first call of choose().
/// Throws Error that says where a rule is wrong.
void load_rules();
/// What has been read, and what Bowline comes with.
const Rules& user_rules() noexcept;
const Rules& built_in_rules();

/// Tells the user, once for every rule, that it cannot serve a call for which it was written.
void warn_refused(const Rule& rule, const Situation& call);

}  // namespace bowline::coll
