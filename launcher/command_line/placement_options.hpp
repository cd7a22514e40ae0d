// SPDX-License-Identifier: BSD-3-Clause
// Where ranks go on a machine: --bind-to, --map-by and --rank-by in the syntax of Bowline, Open MPI and MPICH.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

/// A level of the hardware, or another kind of placement.
enum class Place {
  automatic,  ///< the user has not chosen
  none,
  list,  ///< CPUs that the user lists
  slot,  ///< one unit after the other
  hwthread,
  core,
  l1cache,
  l2cache,
  l3cache,
  l4cache,
  l5cache,
  numa,
  socket,
  node,
};

/// On which hardware ranks may run, and in which order the hardware is distributed. A unit is a core, or a hardware
/// thread if the user counts in hardware threads.
struct Placement {
  static constexpr int most_each = 1 << 20;

  /// On which hardware each rank may run. automatic: units of the rank's own if there are enough, otherwise anywhere.
  Place bind_to = Place::automatic;
  int bind_count = 1;                        ///< consecutive objects for each rank
  std::vector<std::vector<int>> bind_lists;  ///< Place::list: CPUs of each rank; further ranks are not bound

  /// Objects over which ranks are distributed in turn; automatic, slot and node fill unit after unit.
  Place map_by = Place::automatic;
  int map_count = 1;        ///< number of objects that count as one
  int per_object = 0;       ///< if above 0: ranks on each object, filled one after the other
  bool blocks = false;      ///< as many ranks on each object as in turn, but consecutive ranks together
  int units_per_rank = 0;   ///< 0: OMP_NUM_THREADS, else 1
  bool hwthreads = false;   ///< hardware threads are the units
  std::vector<int> cpus;    ///< if not empty: only these of the usable CPUs
  bool no_sharing = false;  ///< more ranks than units (or slots of the named hosts) are refused
  /// Ranks are bound to units that no other job has, if there are enough. Automatic binding is none otherwise.
  bool beside_others = false;
  bool binds_single = false;  ///< automatic binding binds a single rank, too

  /// How the places are numbered: in hardware order (core, hwthread), one of each object in turn (caches, numa,
  /// socket), otherwise in the order of their distribution.
  Place rank_by = Place::automatic;
};

/// Parse the value of the option into `placement`. Values without a counterpart add a sentence to `warnings`. Throw
/// UsageError that lists what is allowed.
void parse_bind_to(const std::string& text, Placement& placement, std::vector<std::string>& warnings);
void parse_map_by(const std::string& text, Placement& placement, std::vector<std::string>& warnings);
void parse_rank_by(const std::string& text, Placement& placement);

/// The name of a place, such as "socket", for messages.
std::string_view name_of(Place place);

}  // namespace bowline::launcher
