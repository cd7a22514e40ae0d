// SPDX-License-Identifier: BSD-3-Clause
// Distributes ranks over cores, then widens each rank's cores to the objects to which it is bound.
#include "launcher/binding.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "launcher/places.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

Binding make_binding(hwloc_const_bitmap_t cpus) {
  Binding binding{.mask = std::vector<unsigned long>(static_cast<size_t>(hwloc_bitmap_nr_ulongs(cpus))),
                  .list = cpu_list(cpus)};
  hwloc_bitmap_to_ulongs(cpus, static_cast<unsigned>(binding.mask.size()), binding.mask.data());
  return binding;
}

BindingPlan unbound(const Options& options, std::string reason) {
  return {.ranks = std::vector<Binding>(static_cast<size_t>(options.ranks())), .reason = std::move(reason)};
}

/// "2 cores", in words for a plan's reason.
std::string count_of(int number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string_view unit_name(const Placement& placement) {
  const bool threads =
      placement.hwthreads || placement.bind_to == Place::hwthread || placement.map_by == Place::hwthread;
  return threads ? "hardware thread" : "core";
}

BindingPlan bind_to_places(const std::vector<Bitmap>& places, std::string reason) {
  BindingPlan plan{.ranks = {}, .reason = std::move(reason)};
  for (const Bitmap& place : places) plan.ranks.push_back(make_binding(place.get()));
  return plan;
}

/// Widens each place to the object that contains it, or to `bind_count` consecutive objects.
BindingPlan bind_to_objects(const std::vector<Bitmap>& places, const Placement& placement, const Topology& topology) {
  const auto objects = topology.objects(object_type(placement.bind_to));
  const auto width = static_cast<size_t>(placement.bind_count);
  BindingPlan plan;
  plan.reason = fmt::format(
      "each rank to {}, as asked",
      count_of(placement.bind_count, placement.bind_to == Place::numa ? "NUMA node" : name_of(placement.bind_to)));
  for (const Bitmap& place : places) {
    const Bitmap cpus(hwloc_bitmap_alloc());
    for (size_t i = 0; i < objects.size(); ++i) {
      const size_t first = i / width * width;
      bool wanted = false;
      for (size_t j = first; j < std::min(first + width, objects.size()); ++j)
        wanted = wanted || hwloc_bitmap_intersects(objects[j].get(), place.get()) != 0;
      if (wanted) hwloc_bitmap_or(cpus.get(), cpus.get(), objects[i].get());
    }
    plan.ranks.push_back(make_binding(cpus.get()));
  }
  return plan;
}

/// Binds each rank to the CPUs that the user lists for it.
BindingPlan bind_to_lists(const Options& options) {
  BindingPlan plan = unbound(options, "each rank to the CPUs that are listed for it, as asked");
  const auto& lists = options.placement.bind_lists;
  for (size_t rank = 0; rank < std::min(plan.ranks.size(), lists.size()); ++rank) {
    const Bitmap cpus(hwloc_bitmap_alloc());
    for (int cpu : lists[rank]) hwloc_bitmap_set(cpus.get(), static_cast<unsigned>(cpu));
    plan.ranks[rank] = make_binding(cpus.get());
  }
  return plan;
}

/// The cores that this job has claimed. Two hardware threads of one core claim it once.
class Claimed {
 public:
  Claimed(const Topology& topology, const ClaimCore& claim)
      : cores_(topology.objects(HWLOC_OBJ_CORE)), claim_(claim), own_(cores_.size()) {}

  bool take(hwloc_const_bitmap_t cpus) {
    const size_t core = holder(cores_, cpus);
    if (!own_[core]) own_[core] = claim_(hwloc_bitmap_first(cores_[core].get()));
    return own_[core];
  }
  /// Claims all cores that contain `cpus`, so that later jobs with automatic binding avoid them.
  void take_all(hwloc_const_bitmap_t cpus) {
    for (const Bitmap& core : cores_) {
      if (hwloc_bitmap_intersects(core.get(), cpus) != 0) take(core.get());
    }
  }

 private:
  std::vector<Bitmap> cores_;
  const ClaimCore& claim_;
  std::vector<bool> own_;
};

/// Units that no other job has claimed, in hardware order, which this job has claimed now; empty if there are not
/// `needed` of them. Claims may be left over then.
std::vector<Bitmap> claim_units(const Placement& placement, const Topology& topology, const std::vector<Bitmap>& units,
                                size_t needed, const ClaimCore& claim) {
  Claimed claimed(topology, claim);
  std::vector<bool> is_mine(units.size());
  size_t count = 0;
  for (size_t i : deal_order(placement, topology, units)) {
    if (count < needed && claimed.take(units[i].get())) is_mine[i] = true, ++count;
  }
  std::vector<Bitmap> mine;
  for (size_t i = 0; i < units.size() && count == needed; ++i) {
    if (is_mine[i]) mine.emplace_back(hwloc_bitmap_dup(units[i].get()));
  }
  return mine;
}

/// Automatic binding: to units that no other job has claimed, or none.
BindingPlan bind_automatically(const Options& options, const Topology& topology, const std::vector<Bitmap>& units,
                               int each, const ClaimCore& claim) {
  const Placement& placement = options.placement;
  const auto needed = static_cast<size_t>(options.ranks()) * static_cast<size_t>(each);
  const std::string_view unit = unit_name(placement);
  if (options.ranks() == 1 && !placement.binds_single)
    return unbound(options, "none, a single rank may use every core");
  if (needed > units.size()) {
    return unbound(options, fmt::format("none, {} {}s are wanted and {} are usable", needed, unit, units.size()));
  }
  const std::vector<Bitmap> mine = claim_units(placement, topology, units, needed, claim);
  if (mine.empty()) return unbound(options, "none, other jobs are bound to cores of this machine");
  const Places places = deal(placement, topology, mine, options.ranks(), each);
  if (places.shared) return unbound(options, fmt::format("none, ranks would share {}s", unit));
  return bind_to_places(places.ranks, fmt::format("{} per rank, there are enough", count_of(each, unit)));
}

}  // namespace

BindingPlan plan_binding(const Options& options, const Topology& topology, int threads, const ClaimCore& claim,
                         const ClaimCore& is_unused) {
  const Placement& placement = options.placement;
  if (placement.bind_to == Place::none) return unbound(options, "none, as asked");
  if (placement.bind_to == Place::list) return bind_to_lists(options);
  auto units = units_of(placement, topology);
  if (units.empty())
    return unbound(options, "none, no CPU is left to the job");  // check_placement() refuses a job without CPUs
  const bool to_units = placement.bind_to == Place::core || placement.bind_to == Place::hwthread;
  int each = placement.units_per_rank;
  if (each == 0 && to_units && placement.bind_count > 1) each = placement.bind_count;
  if (each == 0) each = to_units || placement.bind_to == Place::automatic ? threads : 1;
  each = std::min(each, static_cast<int>(units.size()));  // there are no more units
  if (placement.bind_to == Place::automatic && (placement.units_per_rank == 0 || placement.beside_others))
    return bind_automatically(options, topology, units, each, claim);

  if (placement.beside_others && to_units) {
    const auto needed = static_cast<size_t>(options.ranks()) * static_cast<size_t>(each);
    auto own = claim_units(placement, topology, units, needed, claim);
    if (own.empty() && is_unused) own = claim_units(placement, topology, units, needed, is_unused);
    if (!own.empty()) units = std::move(own);
  }
  const Places places = deal(placement, topology, units, options.ranks(), each);
  const bool whole_cores = placement.bind_to == Place::core && unit_name(placement) != "core";
  if (whole_cores || !(to_units || placement.bind_to == Place::automatic))
    return bind_to_objects(places.ranks, placement, topology);
  Claimed claimed(topology, claim);
  for (const Bitmap& place : places.ranks) claimed.take_all(place.get());
  const std::string_view unit = unit_name(placement);
  return bind_to_places(places.ranks, fmt::format("each rank to {}, as asked{}", count_of(each, unit),
                                                  places.shared ? fmt::format("; ranks share {}s", unit) : ""));
}

int threads_per_rank(const char* omp_num_threads) {
  if (omp_num_threads == nullptr) return 1;
  int threads = 1;
  const char* end = omp_num_threads + strlen(omp_num_threads);
  const auto [stop, error] = std::from_chars(omp_num_threads, end, threads);
  return error == std::errc{} && (stop == end || *stop == ',') && threads > 1 ? threads : 1;
}

}  // namespace bowline::launcher
