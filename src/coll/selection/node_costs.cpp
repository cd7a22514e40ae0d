// SPDX-License-Identifier: BSD-3-Clause
// Every function below counts what the slowest member does, in the terms of the algorithms' own files: bytes that it
// copies or combines, pages that the kernel copies for it, rounds in which it waits for flags. A combined byte counts
// like a copied one: both operands are read.
#include "coll/selection/node_costs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "coll/slots/slot_memory.hpp"

namespace bowline::coll {
namespace {

constexpr double bytes_of_page = 4096;
constexpr double bytes_of_turn = 128 << 10;  ///< that two processes exchange between two changes
constexpr double bytes_of_read = 128 << 10;  ///< of a single copy, that one system call moves
constexpr std::size_t data_of_unknown_length = 256 << 10;

/// One call on one machine.
class Model {
 public:
  Model(const Situation& call, const NodeCosts& costs) noexcept
      : costs_(costs),
        n_(call.ranks),
        bytes_(static_cast<double>(call.bytes)),
        slot_(static_cast<double>(SlotMemory::usual_slot_bytes(call.ranks))),
        turns_(turns(call, costs)) {}

  double members() const noexcept { return n_; }
  double others() const noexcept { return n_ - 1; }
  double bytes() const noexcept { return bytes_; }
  double slot() const noexcept { return slot_; }

  /// Each member moves so many bytes through shared memory or combines them.
  double copies(double bytes) const noexcept {
    const bool far = bytes > static_cast<double>(costs_.near_bytes);
    return turns_ * bytes * static_cast<double>(far ? costs_.copy_far : costs_.copy);
  }
  /// The kernel moves so many bytes for each member, of the memory of one other member at a time.
  double reads(double bytes) const noexcept {
    const double pages = std::ceil(bytes / bytes_of_page);
    return turns_ * (pages * static_cast<double>(costs_.page) +
                     std::ceil(bytes / bytes_of_read) * static_cast<double>(costs_.call));
  }
  /// The same if so many members access the memory of the same one.
  double crowded_reads(double bytes, double members) const noexcept {
    return reads(bytes) * std::max(1.0, members / static_cast<double>(costs_.readers));
  }
  /// So many times, a member waits for the flags of so many others.
  double waits(double times, double flags) const noexcept {
    return times *
           (flags * static_cast<double>(costs_.flag) + (turns_ > 1 ? turns_ * static_cast<double>(costs_.change) : 0));
  }
  /// Each member sends a message of this length to so many others.
  double messages(double bytes, double count) const noexcept {
    const double changes = turns_ > 1 ? 2 * std::ceil(bytes / bytes_of_turn) * turns_ : 0;
    return turns_ * count * static_cast<double>(costs_.message) + copies(2 * bytes * count) +
           changes * static_cast<double>(costs_.change);
  }
  /// The rounds of data that go through slots in pieces of half a slot, of which each member has `part`.
  double rounds(double bytes, double part = 1) const noexcept {
    return std::max(1.0, std::ceil(bytes / (slot_ * part / 2)));
  }

 private:
  /// Members that run one after the other on one core.
  static double turns(const Situation& call, const NodeCosts& costs) noexcept {
    if (!call.oversubscribed) return 1;
    const double cores = std::max(1.0, static_cast<double>(costs.cores));
    return std::max(2.0, std::ceil(call.ranks / cores));
  }

  const NodeCosts& costs_;
  double n_;
  double bytes_;
  double slot_;
  double turns_;
};

/// The times of the algorithms, by their names, in nanoseconds.
struct Times {
  // ---- operations with a root. The root, or the member farthest from it, is the slowest.

  static double bcast_slots(const Model& m) {
    const double piece = std::min(m.members() * m.slot() / 8, m.slot() / 2);
    const double rounds = std::max(1.0, std::ceil(m.bytes() / piece));
    return m.copies(m.bytes() + std::min(piece, m.bytes())) + m.waits(rounds, m.others());
  }
  /// Two members share the work; more than two read at the same time.
  static double bcast_single_copy(const Model& m) {
    return (m.members() == 2 ? m.reads(m.bytes() / 2) : m.crowded_reads(m.bytes(), m.others())) +
           m.waits(2, m.others());
  }
  /// The root copies for all others.
  static double rooted_slots(const Model& m) {
    return m.copies(m.others() * m.bytes() + std::min(m.slot() / 2, m.bytes())) +
           m.others() * m.waits(m.rounds(m.bytes()), 1);
  }
  /// Each member copies its own block, and the root helps.
  static double rooted_single_copy(const Model& m) {
    return m.crowded_reads(m.bytes() * m.others() / m.members(), m.others()) + m.waits(2, m.others());
  }
  static double reduce_slots(const Model& m) {
    return m.copies(m.others() * m.bytes() + std::min(m.slot() / 2, m.bytes())) +
           m.waits(m.rounds(m.bytes()), m.others());
  }
  static double reduce_shares(const Model& m) {
    return m.copies(m.bytes() * (3 + 1 / m.members())) + m.waits(2 * m.rounds(m.bytes()), m.others());
  }
  static double reduce_single_copy(const Model& m) {
    const double share = m.bytes() / m.members();
    if (m.members() == 2) return m.reads(share) + m.copies(m.bytes()) + m.waits(2, 1);
    return m.reads(m.others() * share) + m.reads(share) + m.copies(m.bytes()) + m.waits(2, m.others());
  }

  // ---- operations without a root

  static double allgather_slots(const Model& m) {
    return m.copies((m.members() + 1) * m.bytes()) + m.waits(m.rounds(m.bytes()), m.others());
  }
  static double allgather_single_copy(const Model& m) {
    return m.reads(m.others() * m.bytes()) + m.copies(m.bytes()) + m.waits(2, m.others());
  }
  static double alltoall_slots(const Model& m) {
    return m.copies((2 * m.others() + 1) * m.bytes()) + m.waits(m.rounds(m.bytes(), 1 / m.members()), m.others());
  }
  static double alltoall_single_copy(const Model& m) {
    return m.reads(m.others() * m.bytes()) + m.copies(m.bytes()) + m.waits(2, m.others());
  }
  static double alltoall_agreed(const Model& m) {
    return m.messages(m.bytes(), m.others()) + m.copies(m.bytes()) + m.waits(1, m.others());
  }
  static double allreduce_slots(const Model& m) {
    return m.copies((m.members() + 1) * m.bytes()) + m.waits(m.rounds(m.bytes()), m.others());
  }
  static double allreduce_shares(const Model& m) {
    return m.copies(m.bytes() * (3 + 1 / m.members())) + m.waits(2 * m.rounds(m.bytes()), m.others());
  }
  static double allreduce_single_copy(const Model& m) {
    const double share = m.bytes() / m.members();
    return 2 * m.reads(m.others() * share) + m.copies(m.bytes()) + m.waits(3, m.others());
  }
  /// `bytes`: of the whole vector.
  static double reduce_scatter_slots(const Model& m) {
    return m.copies(m.bytes() * (2 - 1 / m.members())) +
           m.waits(m.rounds(m.bytes() / m.members(), 1 / m.members()), m.others());
  }
  static double reduce_scatter_single_copy(const Model& m) {
    const double share = m.bytes() / m.members();
    return m.reads(m.others() * share) + m.copies(m.bytes()) + m.waits(2, m.others());
  }
  /// The last member waits for a piece of all others.
  static double scan_slots_pipeline(const Model& m) {
    const double piece = std::min(m.slot() / 2, m.bytes());
    return m.copies(3 * m.bytes() + m.others() * piece) + m.waits(m.rounds(m.bytes()) + m.others(), 1);
  }
  static double scan_single_copy(const Model& m) {
    const double piece = std::min(bytes_of_read, m.bytes());
    return m.reads(m.bytes()) + m.copies(m.bytes()) + m.others() * (m.reads(piece) + m.copies(piece)) +
           m.waits(std::ceil(m.bytes() / bytes_of_read) + m.others(), 1);
  }
};

struct Row {
  Operation operation;
  std::string_view algorithm;
  double (*time)(const Model&);
};
using enum Operation;
constexpr Row rows[] = {
    {bcast, "slots", Times::bcast_slots},
    {bcast, "single_copy", Times::bcast_single_copy},
    {gather, "slots", Times::rooted_slots},
    {gather, "single_copy", Times::rooted_single_copy},
    {gatherv, "slots", Times::rooted_slots},
    {gatherv, "single_copy", Times::rooted_single_copy},
    {scatter, "slots", Times::rooted_slots},
    {scatter, "single_copy", Times::rooted_single_copy},
    {scatterv, "slots", Times::rooted_slots},
    {scatterv, "single_copy", Times::rooted_single_copy},
    {allgather, "slots", Times::allgather_slots},
    {allgather, "single_copy", Times::allgather_single_copy},
    {allgatherv, "slots", Times::allgather_slots},
    {allgatherv, "single_copy", Times::allgather_single_copy},
    {alltoall, "slots", Times::alltoall_slots},
    {alltoall, "single_copy", Times::alltoall_single_copy},
    {alltoall, "agreed", Times::alltoall_agreed},
    {alltoallv, "slots", Times::alltoall_slots},
    {alltoallv, "single_copy", Times::alltoall_single_copy},
    {reduce, "slots", Times::reduce_slots},
    {reduce, "shares", Times::reduce_shares},
    {reduce, "single_copy", Times::reduce_single_copy},
    {allreduce, "slots", Times::allreduce_slots},
    {allreduce, "shares", Times::allreduce_shares},
    {allreduce, "single_copy", Times::allreduce_single_copy},
    {reduce_scatter_block, "slots", Times::reduce_scatter_slots},
    {reduce_scatter_block, "single_copy", Times::reduce_scatter_single_copy},
    {reduce_scatter, "slots", Times::reduce_scatter_slots},
    {reduce_scatter, "single_copy", Times::reduce_scatter_single_copy},
    {scan, "slots_pipeline", Times::scan_slots_pipeline},
    {scan, "single_copy", Times::scan_single_copy},
    {exscan, "slots_pipeline", Times::scan_slots_pipeline},
    {exscan, "single_copy", Times::scan_single_copy},
};

/// Whether members do not know the lengths of each other's blocks (bytes_of()).
bool has_unknown_length(Operation operation) noexcept {
  return operation == gatherv || operation == scatterv || operation == allgatherv || operation == alltoallv;
}

}  // namespace

std::optional<double> predicted_time(Operation operation, std::string_view algorithm, const Situation& call,
                                     const NodeCosts& costs) noexcept {
  for (const Row& row : rows) {
    if (row.operation != operation || row.algorithm != algorithm) continue;
    Situation asked = call;
    if (has_unknown_length(operation)) asked.bytes = data_of_unknown_length;
    return row.time(Model(asked, costs));
  }
  return {};
}

std::size_t lends_from(Operation operation, int members, bool oversubscribed, const NodeCosts& costs) noexcept {
  constexpr std::size_t shortest = 8 << 10, longest = std::size_t{1} << 30;
  Situation call{.ranks = members, .bytes = 0, .oversubscribed = oversubscribed, .one_node = true, .shared = true};
  for (std::size_t bytes = shortest; bytes <= longest; bytes *= 2) {
    call.bytes = bytes;
    if (*predicted_time(operation, "single_copy", call, costs) < *predicted_time(operation, "slots", call, costs))
      return bytes;
  }
  return std::numeric_limits<std::size_t>::max();
}

}  // namespace bowline::coll
