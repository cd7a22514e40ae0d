// SPDX-License-Identifier: BSD-3-Clause
// Selection: chooses the algorithm for a call. The order of the rules is: those of the communicator, those of the
// tunables `collectives` and `collectives_file`, the defaults. The first rule that matches a call and whose algorithm
// can serve it applies. If it is a default rule for long data, members also compare other algorithms with its
// algorithm, in shared memory (Trial) and between nodes (NetworkTrials). The choice depends only on facts that all
// members know, so all choose the same algorithm.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "coll/selection/network_trials.hpp"
#include "coll/selection/rules.hpp"
#include "coll/selection/trial.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {

struct Choice {
  const Algorithm* algorithm = nullptr;
  std::size_t segment = 0;        ///< in bytes; 0 if the algorithm has none
  const Rule* refused = nullptr;  ///< the user's rule that matches the call, but whose algorithm cannot serve it
  bool by_default = false;        ///< whether no rule of the communicator or the user applies
  Trial* trial = nullptr;         ///< chooses the algorithm instead, if the members compare algorithms
  NetworkTrial* network_trial = nullptr;  ///< chooses algorithm and segment instead, if members on several nodes do
};

/// The algorithms that members compare in such a call, the chosen one first. Their number is 0 if they compare none.
struct Candidates {
  std::array<const Algorithm*, Trial::most_candidates> algorithms{};
  std::size_t count = 0;
  operator std::span<const Algorithm* const>() const noexcept { return list(); }
  std::span<const Algorithm* const> list() const noexcept { return {algorithms.data(), count}; }
};
Candidates candidates(Operation operation, const Situation& call, const Choice& choice) noexcept;

/// The ways that members on several nodes compare in such a call.
Ways ways(Operation operation, const Situation& call, const Choice& choice) noexcept;

/// Remembers the choice for the last call of each operation in one order, which also serves the next call with the same
/// properties, and what the members have measured.
class Choices {
 public:
  /// The properties of a call that decide, besides those that are equal in all calls of a team.
  struct Call {
    std::size_t bytes = 0;
    std::size_t element = 0;  ///< bytes of an element of the reduction, if there is one
    bool ordered = false;
    bool may_share = false;
    bool operator==(const Call&) const = default;
  };
  struct Entry {
    Call call;
    Choice choice{};  ///< without an algorithm: no call yet
  };
  Entry& of(Operation operation) noexcept { return entries_[static_cast<std::size_t>(operation)]; }
  Trials& trials() noexcept { return trials_; }
  /// Of the blocking calls of members on several nodes, if they compare algorithms; otherwise nullptr.
  NetworkTrials* network_trials() const noexcept { return network_trials_.get(); }
  void compare_between_nodes() { network_trials_ = std::make_unique<NetworkTrials>(); }

 private:
  std::array<Entry, operations> entries_{};
  Trials trials_;
  std::unique_ptr<NetworkTrials> network_trials_;
};

/// The tunable coll_compare.
bool compares_algorithms() noexcept;

/// The length by which algorithms are chosen, which every member knows: that of the data of a broadcast or a reduction,
/// that of one block in other operations (in allgatherv, the mean of all blocks); 0 if members do not know each other's
/// lengths. `members`: their number.
std::size_t bytes_of(Operation operation, const Arguments& arguments, int members) noexcept;

/// The slot length beyond which longer slots do not reduce the number of rounds, as far as bytes_of() tells.
std::size_t useful_slot(Operation operation, const Arguments& arguments, int members) noexcept;

/// Makes the team's hierarchy if its members run on several nodes; throws Error if that fails.
Situation situation_of(Team& team, CallOrder& order, Operation operation, const Arguments& arguments);
/// For a reduction whose result must not depend on placement: clears all properties that depend on it.
Situation without_placement(Operation operation, Situation call) noexcept;
/// without_placement() for reductions, if the tunable `coll_reproducible` is set.
Situation with_tunables(Operation operation, const Situation& call) noexcept;

/// Whether the algorithm's constraints allow the call.
bool serves(const Algorithm& algorithm, const Situation& call) noexcept;

/// The most members of a team that an operation serves through shared memory.
int most_sharing(Operation operation) noexcept;

/// Walks over a few rows, without locks and allocation. `own`: the rules of the communicator; nullptr if it has none.
Choice choose(Operation operation, const Situation& call, const Rules* own = nullptr);

/// Chooses for a call of the members of a team; the result is valid until the next call of the operation in this order.
/// Members compare algorithms in blocking calls. A choice for a non-blocking call has no trial, because the order of
/// these calls relative to the comparisons may differ between members. `may_share`: whether the call may use shared
/// memory. choose() is one function, because every call of the user runs it and the compiler can optimize it as a
/// whole.
const Choice& choose(Team& team, CallOrder& order, Operation operation, const Arguments& arguments, bool may_share);

/// The choice's segment for these arguments: segments of a reduction hold whole elements, at least one.
std::size_t whole_elements(std::size_t segment, const Arguments& arguments) noexcept;

/// Reads the user's rules from the tunables and the file they name. To be called before the first call of choose().
/// Throws Error that says where a rule is wrong.
void load_rules();
/// The rules that load_rules() has read, and the default rules.
const Rules& user_rules() noexcept;
const Rules& built_in_rules();
/// alternatives() with their algorithms.
const Rules& other_ways();

/// Warns the user, once for every rule, that its algorithm cannot serve a matching call.
void warn_refused(const Rule& rule, const Situation& call);

}  // namespace bowline::coll
