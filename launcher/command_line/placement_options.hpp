// SPDX-License-Identifier: BSD-3-Clause
// Where ranks go on a machine, as --bind-to, --map-by and --rank-by say it in Bowline's, Open MPI's and MPICH's words.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

/// A level of the hardware, or another answer to where ranks go.
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

/// What ranks may run on, and in which order they are dealt out. A unit is a core, or a hardware thread where the user
/// counts in these.
struct Placement {
  static constexpr int most_each = 1 << 20;

  /// What each rank may run on. automatic: units of its own where there are enough, else anywhere.
  Place bind_to = Place::automatic;
  int bind_count = 1;                        ///< so many objects in a row for each rank
  std::vector<std::vector<int>> bind_lists;  ///< Place::list: CPUs of each rank; ranks beyond them are not bound

  /// Objects to which ranks are dealt out in turn; automatic, slot and node fill unit after unit.
  Place map_by = Place::automatic;
  int map_count = 1;        ///< so many objects count as one
  int per_object = 0;       ///< above 0: so many ranks on each object, one object after the other
  bool blocks = false;      ///< as many on each object as by turns, but consecutive ranks together
  int units_per_rank = 0;   ///< 0: OMP_NUM_THREADS, else 1
  bool hwthreads = false;   ///< hardware threads are the units
  std::vector<int> cpus;    ///< if not empty, of all usable CPUs only these
  bool no_sharing = false;  ///< more ranks than units (or slots of the named hosts) are refused

  /// How the places that were dealt out are numbered: by hardware (core, hwthread), one of each object in turn
  /// (caches, numa, socket), else as dealt out.
  Place rank_by = Place::automatic;
};

/// These take the words behind the option and change `placement`; what has no counterpart here becomes a sentence in
/// `warnings`. They throw UsageError that lists what is allowed.
void parse_bind_to(const std::string& text, Placement& placement, std::vector<std::string>& warnings);
void parse_map_by(const std::string& text, Placement& placement, std::vector<std::string>& warnings);
void parse_rank_by(const std::string& text, Placement& placement);

/// "socket", for messages.
std::string_view name_of(Place place);

}  // namespace bowline::launcher
