// SPDX-License-Identifier: BSD-3-Clause
// Two-phase collective access (J. del Rosario, R. Bordawekar, A. Choudhary, SIGARCH News 21 (1993),
// 10.1145/165660.165667) in two levels (Q. Kang et al., TPDS 31 (2020), 10.1109/TPDS.2020.3000458): the processes of a
// unit put their data directly to their places in windows in shared memory; an aggregator moves each window to or from
// the file in one piece; and units exchange, for each window, the merged runs of all their processes.
//
// No process knows the view of another process, and no process makes a list of offsets: each process copies its part of
// a window with the layout of its own datatypes, and marks in the window's coverage what it has filled or asks for. So
// memory is bounded by the memory of the windows, whatever the views are.
//
// Rounds, with a reduction in front of each, which tells all members where the next windows begin (windows without data
// are skipped) and that all members have finished the round before:
//
//   write   put the data of this round into windows; aggregators write those of the round before meanwhile
//   read    aggregators read the windows of this round; all take their data from those of the round before meanwhile
//
// An aggregator whose access fails takes part in the further rounds without accessing the file. The other aggregators
// make all their accesses, so everything in front of the first fault has been moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"
#include "mpiio/access/memory_stream.hpp"
#include "mpiio/collective/access_plan.hpp"
#include "mpiio/collective/window_access.hpp"
#include "mpiio/collective/window_memory.hpp"

namespace bowline::mpiio {

class TwoPhase {
 public:
  /// `access`: of this process, with 0 bytes if it has no part; it ascends. `waits`: the caller's thread waits for the
  /// operation. The referents must outlive the object.
  TwoPhase(File& file, coll::TeamChannel& channel, const Plan& plan, WindowMemory& memory, const View& view,
           const Access& access, bool waits);

  Task run() { return access_.writes ? write() : read(); }

  // ---- the result

  /// Bytes of this process's data in front of the first fault, or of the end of the file.
  std::size_t moved() const noexcept { return moved_; }
  /// The first fault of this process's own accesses to the file.
  const Fault& own_fault() const noexcept { return work_.fault(); }
  /// Where the first fault of all processes lies; `nowhere` if there is none.
  Offset first_fault() const noexcept { return first_fault_; }
  static constexpr Offset nowhere = std::numeric_limits<Offset>::max();

 private:
  /// Where the windows of a round begin, by aggregator; `nowhere`: it has none.
  using Begins = std::vector<Offset>;
  /// A part of this process's data: bytes of its stream, counted from the beginning of the access.
  struct Portion {
    std::size_t from;
    std::size_t bytes;
  };

  Task write();
  Task read();
  Task begin();
  Task reduce(bool with_parts);
  Task finish_work();
  void start_work(int set, Extent part, bool more);

  // exchange.cpp: windows of aggregators in other units
  /// In front of each message between units.
  struct Heading {
    std::uint64_t described = 0;  ///< bytes of encoded runs
    std::uint64_t data = 0;       ///< bytes of data behind the runs
    std::int64_t valid_end = 0;   ///< in an answer: behind the last byte that the file has
  };
  Task write_other_units(int set);
  Task trade_written(int target, int source, int set);
  Task read_other_units(const Begins& begins, int set);
  Task trade_read(int target, int source, const Begins& begins, int set);
  Heading describe(int aggregator, const Begins& begins, bool with_data);
  void append(const FileWindow& window, GranuleRun run, std::vector<std::byte>& message) const;
  void check_heading(const Heading& heading, Extent window) const;
  void store(std::span<const std::byte> message, const Heading& heading, int set);
  Heading collect(std::span<const std::byte> request, const Begins& begins, int set);
  void deliver(std::span<const std::byte> data, const Heading& answer, Extent part);

  static bool any(const Begins& begins) noexcept;
  Extent window_of(int aggregator, const Begins& begins) const noexcept;
  Portion portion(Extent part) const noexcept;
  Offset first_data(Extent part) const noexcept;
  Offset last_data(Extent part) const noexcept;
  dtype::Cursor places(const FileWindow& window, Offset window_begin, const Portion& data) const noexcept;
  void put(const FileWindow& window, Extent part);
  void mark(const FileWindow& window, Extent part) const;
  void take(const FileWindow& window, Extent part);
  int own_number() const noexcept { return plan_.number(unit_, role_); }
  bool aggregates() const noexcept { return role_ >= 0 && plan_.active(unit_); }
  std::size_t granules_in(Extent part) const noexcept {
    return (static_cast<std::size_t>(part.length()) + plan_.granule() - 1) / plan_.granule();
  }

  coll::Team& team_;
  coll::TeamChannel& channel_;
  const Plan& plan_;
  WindowMemory& memory_;
  const View& view_;
  const Access access_;
  const bool waits_;
  MemoryStream user_;
  const int unit_;
  const int index_;
  const coll::Members members_;  ///< of the unit
  const int role_;
  std::size_t moved_;
  Offset first_fault_ = nowhere;
  WindowAccess work_;
  bool working_ = false;        ///< a thread of the library executes work_
  Begins begins_;               ///< where the windows of this round begin
  Begins next_;                 ///< where the windows of the next round begin
  std::vector<Offset> looked_;  ///< by aggregator: behind the part of its domain in which windows have been found
  std::vector<Extent> parts_;   ///< to read: where the data of this round lie in the windows
  std::vector<Offset> values_;  ///< operands of a reduction
};

}  // namespace bowline::mpiio
