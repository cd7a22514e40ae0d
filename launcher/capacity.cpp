// SPDX-License-Identifier: BSD-3-Clause
// See capacity.hpp.
#include "launcher/capacity.hpp"

#include <algorithm>
#include <cstdint>

#include "launcher/places.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// -N alone gives the number of ranks; with -n, the given number of ranks must fit on this one node.
void apply_ranks_per_node(Options& options) {
  if (!options.ranks_per_node) return;
  const int most = *options.ranks_per_node;
  if (options.apps.size() == 1 && !options.apps[0].ranks_given) options.apps[0].ranks = most;
  if (options.ranks() > most && !options.ranks_wrap) {
    throw UsageError(
        "-N {}: {} ranks are asked for, and this mpiexec has one node; raise -N, or run it in a Slurm "
        "allocation of several nodes",
        most, options.ranks());
  }
}

std::int64_t slots_of(const std::vector<Host>& hosts, const Placement& placement) {
  std::int64_t sum = 0;
  for (const Host& host : hosts) {
    sum += host.slots != Host::all_cores
               ? host.slots
               : static_cast<std::int64_t>(units_of(placement, Topology(caches_for(placement))).size());
  }
  return sum;
}

std::int64_t room_on_objects(const Placement& placement, const Topology& topology) {
  const auto objects = topology.objects(object_type(placement.map_by));
  return static_cast<std::int64_t>(objects.size()) * placement.per_object;
}

void check_cpus(std::string_view option, const std::vector<int>& cpus, const Topology& topology) {
  for (int cpu : cpus) {
    if (hwloc_bitmap_isset(topology.usable(), static_cast<unsigned>(cpu)) != 1) {
      throw UsageError("{}: CPU {} cannot be used by mpiexec; name some of {}", option, cpu,
                       cpu_list(topology.usable()));
    }
  }
}

}  // namespace

void count_ranks(Options& options) {
  apply_ranks_per_node(options);
  if (options.apps.size() > 1 || options.apps[0].ranks_given || options.ranks_per_node) return;
  const Placement& placement = options.placement;
  std::int64_t ranks = 1;
  if (placement.per_object > 0)
    ranks = room_on_objects(placement, Topology(caches_for(placement)));
  else if (!options.hosts.empty())
    ranks = slots_of(options.hosts, placement);
  if (ranks > Options::most_ranks)
    throw UsageError("the number of ranks is {}; at most {} are allowed", ranks, Options::most_ranks);
  options.apps[0].ranks = static_cast<int>(ranks);
}

int universe_of(const Options& options, const Topology& topology) {
  if (options.universe) return std::max(*options.universe, options.ranks());
  const Placement& placement = options.placement;
  const auto units = static_cast<std::int64_t>(units_of(placement, topology).size());
  std::int64_t slots = options.hosts.empty() ? units : 0;
  for (const Host& host : options.hosts) slots += host.slots == Host::all_cores ? units : host.slots;
  return std::max(options.ranks(), static_cast<int>(std::min<std::int64_t>(slots, Options::most_ranks)));
}

bool places_are_limited(const Placement& placement) {
  return placement.per_object > 0 || placement.no_sharing || !placement.cpus.empty() || !placement.bind_lists.empty();
}

void check_placement(const Options& options, const Topology& topology) {
  const Placement& placement = options.placement;
  check_cpus("--cpu-set", placement.cpus, topology);
  for (const auto& list : placement.bind_lists) check_cpus("--bind-to user", list, topology);
  if (placement.per_object > 0 && options.ranks() > room_on_objects(placement, topology)) {
    throw UsageError(
        "--map-by ppr:{}:{}: {} ranks are asked for, and this machine has room for {} of them so; raise the number "
        "behind ppr",
        placement.per_object, name_of(placement.map_by), options.ranks(), room_on_objects(placement, topology));
  }
  if (!placement.no_sharing) return;
  const auto each = static_cast<std::int64_t>(std::max(placement.units_per_rank, 1));
  const std::int64_t units = static_cast<std::int64_t>(units_of(placement, topology).size()) / each;
  const std::int64_t room = options.hosts.empty() ? units : slots_of(options.hosts, placement);
  if (options.ranks() > room) {
    throw UsageError(
        "--map-by :NOOVERSUBSCRIBE: {} ranks are asked for, and there is room for {}; leave the option out to let "
        "ranks share cores",
        options.ranks(), room);
  }
}

}  // namespace bowline::launcher
