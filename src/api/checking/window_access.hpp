// SPDX-License-Identifier: BSD-3-Clause
// WindowAccess: what one process has done to the memory of a member of a window, and which two accesses conflict
// (MPI-5.0, section 12.7). The members exchange these records (window_comparison.hpp), so they have no pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "dtype/op.hpp"
#include "dtype/signature.hpp"

namespace bowline::api::checking {

struct WindowAccess {
  enum class Kind : std::uint8_t {
    get,
    put,
    accumulate,  ///< or a function of that family
    swap,        ///< a compare-and-swap
    unclear,     ///< may write anywhere between `begin` and `end`: takes part in no conflict
  };
  enum class Epoch : std::uint8_t { fence, start, lock };

  std::uint64_t begin = 0;  ///< in bytes from the beginning of the target's memory
  std::uint64_t end = 0;
  std::uint64_t digest = 0;    ///< of the data of a put, if `has_digest`
  std::uint32_t call = 0;      ///< the number of the place in the program, at the origin
  std::int32_t origin = -1;    ///< rank in the window; set by the target
  std::uint32_t exposure = 0;  ///< with Epoch::start: how often the origin has started an access epoch to this target
  std::uint32_t barriers = 0;  ///< of all members, since the last fence
  Kind kind = Kind::get;
  Epoch epoch = Epoch::fence;
  dtype::Operator op = dtype::Operator::count_;  ///< of an accumulate
  dtype::Signature type = dtype::Signature::any;
  bool has_digest = false;
  bool exclusive = false;  ///< the origin holds an exclusive lock
  /// The origin may have learnt of what others did since the last fence, or since the last barrier.
  bool informed = false, informed_since_barrier = false;

  bool writes() const noexcept {
    return kind != Kind::get && !(kind == Kind::accumulate && op == dtype::Operator::no_op);
  }
  bool is_accumulate() const noexcept { return kind == Kind::accumulate || kind == Kind::swap; }
  std::uint64_t common_bytes(const WindowAccess& other) const noexcept {
    const std::uint64_t from = begin > other.begin ? begin : other.begin, to = end < other.end ? end : other.end;
    return from < to ? to - from : 0;
  }
};

static_assert(sizeof(WindowAccess) == 48, "docs/debugging.md says what an access takes");

inline constexpr std::uint64_t whole_window = std::numeric_limits<std::uint64_t>::max();

/// Whether two accesses may not happen at the same time. Accumulates of one origin are ordered.
bool are_in_conflict(const WindowAccess& a, const WindowAccess& b) noexcept;

/// Whether nothing orders these accesses of different origins to one target: a program cannot know which is first.
/// `same_exposure`: both belong to one exposure epoch of the target, if both epochs are of MPI_Win_start.
bool are_concurrent(const WindowAccess& a, const WindowAccess& b, bool same_exposure) noexcept;

struct AccessPair {
  WindowAccess first, second;
};

/// The exposure epochs of a target: exposure(origin, n) is the one of the origin's n-th access epoch to it.
class Exposures {
 public:
  static constexpr std::uint32_t unknown = 0;
  void post(const std::vector<int>& origins);
  std::uint32_t exposure(int origin, std::uint32_t start) const noexcept;
  void clear();

 private:
  std::uint32_t posts_ = 0;
  std::vector<std::vector<std::uint32_t>> of_origin_;
};

/// Pairs of places in programs, each as an origin and the number of a call there. -1 and 0 stand for the target itself.
using ToldPairs = std::set<std::tuple<int, std::uint32_t, int, std::uint32_t>>;

/// The concurrent conflicts among the accesses to one target that have not been told, one for each pair of places in
/// the program, `most` at most. Gives up after some millions of comparisons.
std::vector<AccessPair> find_concurrent_conflicts(std::vector<WindowAccess> accesses, const Exposures& exposures,
                                                  std::size_t most, ToldPairs& told);

/// "1 byte", "4 bytes".
std::string in_bytes(std::uint64_t bytes);

/// A digest of bytes, which may be continued with the bytes that follow.
inline constexpr std::uint64_t digest_start = 0xcbf29ce484222325U;
std::uint64_t digest_on(std::uint64_t digest, const void* bytes, std::uint64_t count) noexcept;

}  // namespace bowline::api::checking
