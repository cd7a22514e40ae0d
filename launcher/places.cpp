// SPDX-License-Identifier: BSD-3-Clause
// See places.hpp.
#include "launcher/places.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bowline::launcher {
namespace {

using Indices = std::vector<size_t>;

Bitmap copy(hwloc_const_bitmap_t cpus) {
  return Bitmap(hwloc_bitmap_dup(cpus));
}

/// The level over which ranks are distributed. If the user binds to hardware threads but does not count in hardware
/// threads, ranks go to different cores first.
Place dealt_by(const Placement& placement) {
  const bool chosen = placement.map_by != Place::automatic || placement.hwthreads || placement.bind_count > 1;
  return placement.bind_to == Place::hwthread && !chosen ? Place::core : placement.map_by;
}

std::vector<Indices> all_together(size_t units) {
  std::vector<Indices> groups(1, Indices(units));
  std::iota(groups[0].begin(), groups[0].end(), size_t{0});
  return groups;
}

/// The units of each object (or of `map_count` consecutive objects), in hardware order. One group of all units if units
/// are filled one after the other, or if no object has `each` units.
std::vector<Indices> groups_of(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units,
                               size_t each) {
  const Place place = dealt_by(placement);
  if (place == Place::automatic || place == Place::slot || place == Place::node) return all_together(units.size());
  std::vector<Indices> groups;
  const auto objects = topology.objects(object_type(place));
  const auto width = static_cast<size_t>(placement.map_count);
  groups.resize((objects.size() + width - 1) / width);
  for (size_t unit = 0; unit < units.size(); ++unit) groups[holder(objects, units[unit].get()) / width].push_back(unit);
  std::erase_if(groups, [](const Indices& group) { return group.empty(); });
  const bool fits = std::ranges::any_of(groups, [each](const Indices& group) { return group.size() >= each; });
  return fits ? groups : all_together(units.size());
}

/// Divides each group into pieces of `each` units. Remaining units stay free, unless they are the whole group.
std::vector<std::vector<Bitmap>> pieces_of(const std::vector<Indices>& groups, const std::vector<Bitmap>& units,
                                           size_t each) {
  std::vector<std::vector<Bitmap>> pieces;
  for (const Indices& group : groups) {
    std::vector<Bitmap>& own = pieces.emplace_back();
    const size_t whole = std::max<size_t>(group.size() / each, 1);
    for (size_t piece = 0; piece < whole; ++piece) {
      Bitmap& cpus = own.emplace_back(hwloc_bitmap_alloc());
      for (size_t i = piece * each; i < std::min((piece + 1) * each, group.size()); ++i)
        hwloc_bitmap_or(cpus.get(), cpus.get(), units[group[i]].get());
    }
  }
  return pieces;
}

/// For each rank its group, and the number of earlier ranks in that group.
std::vector<std::pair<size_t, size_t>> turns(const std::vector<std::vector<Bitmap>>& groups, const Placement& placement,
                                             size_t ranks) {
  std::vector<std::pair<size_t, size_t>> order;
  if (placement.per_object > 0) {
    const auto each = static_cast<size_t>(placement.per_object);
    for (size_t rank = 0; rank < ranks; ++rank) order.emplace_back(rank / each % groups.size(), rank % each);
    return order;
  }
  size_t most = 0;
  for (const auto& group : groups) most = std::max(most, group.size());
  while (order.size() < ranks) {  // an object with fewer pieces drops out of a round earlier
    for (size_t turn = 0; turn < most; ++turn) {
      for (size_t group = 0; group < groups.size() && order.size() < ranks; ++group) {
        if (turn < groups[group].size()) order.emplace_back(group, turn);
      }
    }
  }
  if (placement.blocks)
    std::stable_sort(order.begin(), order.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return order;
}

/// Reorders the places if they are numbered in hardware order, or in turn by objects.
void renumber(Place rank_by, const Topology& topology, std::vector<Bitmap>& places) {
  if (rank_by == Place::automatic || rank_by == Place::slot || rank_by == Place::node) return;
  const auto before = [](const Bitmap& a, const Bitmap& b) { return hwloc_bitmap_compare_first(a.get(), b.get()) < 0; };
  if (rank_by == Place::core || rank_by == Place::hwthread)
    return std::stable_sort(places.begin(), places.end(), before);
  const auto objects = topology.objects(object_type(rank_by));
  std::vector<size_t> used(objects.size());
  std::vector<std::pair<size_t, size_t>> keys;  // (turn, object)
  for (const Bitmap& place : places) {
    const size_t object = holder(objects, place.get());
    keys.emplace_back(used[object]++, object);
  }
  Indices order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<Bitmap> renumbered;
  for (size_t place : order) renumbered.push_back(std::move(places[place]));
  places = std::move(renumbered);
}

}  // namespace

hwloc_obj_type_t object_type(Place place) {
  switch (place) {
    case Place::hwthread:
      return HWLOC_OBJ_PU;
    case Place::l1cache:
      return HWLOC_OBJ_L1CACHE;
    case Place::l2cache:
      return HWLOC_OBJ_L2CACHE;
    case Place::l3cache:
      return HWLOC_OBJ_L3CACHE;
    case Place::l4cache:
      return HWLOC_OBJ_L4CACHE;
    case Place::l5cache:
      return HWLOC_OBJ_L5CACHE;
    case Place::numa:
      return HWLOC_OBJ_NUMANODE;
    case Place::socket:
      return HWLOC_OBJ_PACKAGE;
    case Place::node:
      return HWLOC_OBJ_MACHINE;
    default:
      return HWLOC_OBJ_CORE;
  }
}

Caches caches_for(const Placement& placement) {
  const auto is_cache = [](Place place) { return place >= Place::l1cache && place <= Place::l5cache; };
  const bool named = is_cache(placement.bind_to) || is_cache(placement.map_by) || is_cache(placement.rank_by);
  return named ? Caches::included : Caches::left_out;
}

std::vector<Bitmap> units_of(const Placement& placement, const Topology& topology) {
  const bool threads =
      placement.hwthreads || placement.bind_to == Place::hwthread || placement.map_by == Place::hwthread;
  std::vector<Bitmap> units;
  const Bitmap allowed = copy(topology.usable());
  if (!placement.cpus.empty()) {
    const Bitmap listed(hwloc_bitmap_alloc());
    for (int cpu : placement.cpus) hwloc_bitmap_set(listed.get(), static_cast<unsigned>(cpu));
    hwloc_bitmap_and(allowed.get(), allowed.get(), listed.get());
  }
  for (const Bitmap& object : topology.objects(threads ? HWLOC_OBJ_PU : HWLOC_OBJ_CORE)) {
    Bitmap cpus = copy(object.get());
    hwloc_bitmap_and(cpus.get(), cpus.get(), allowed.get());
    if (!hwloc_bitmap_iszero(cpus.get())) units.push_back(std::move(cpus));
  }
  return units;
}

size_t holder(const std::vector<Bitmap>& objects, hwloc_const_bitmap_t cpus) {
  const auto found = std::find_if(objects.begin(), objects.end(), [cpus](const Bitmap& object) {
    return hwloc_bitmap_intersects(object.get(), cpus) != 0;
  });
  return found == objects.end() ? 0 : static_cast<size_t>(found - objects.begin());
}

Places deal(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units, int ranks,
            int each) {
  const auto size = static_cast<size_t>(each);
  const auto groups = pieces_of(groups_of(placement, topology, units, size), units, size);
  Places places;
  std::vector<Indices> used;
  used.reserve(groups.size());
  for (const auto& group : groups) used.emplace_back(group.size());
  for (const auto& [group, turn] : turns(groups, placement, static_cast<size_t>(ranks))) {
    const size_t piece = turn % groups[group].size();
    if (used[group][piece]++ > 0) places.shared = true;
    places.ranks.push_back(copy(groups[group][piece].get()));
  }
  renumber(placement.rank_by, topology, places.ranks);
  return places;
}

std::vector<size_t> deal_order(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units) {
  const auto groups = groups_of(placement, topology, units, 1);
  Indices order;
  for (size_t turn = 0; order.size() < units.size(); ++turn) {
    for (const Indices& group : groups) {
      if (turn < group.size()) order.push_back(group[turn]);
    }
  }
  return order;
}

}  // namespace bowline::launcher
