// SPDX-License-Identifier: BSD-3-Clause
// Deals ranks out to cores, then widens each rank's cores to what it shall be bound to.
#include "launcher/binding.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "launcher/error.hpp"

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

/// The index of the object that holds `cpus`.
size_t holder(const std::vector<Bitmap>& objects, hwloc_const_bitmap_t cpus) {
  const auto found = std::find_if(objects.begin(), objects.end(), [cpus](const Bitmap& object) {
    return hwloc_bitmap_intersects(object.get(), cpus) != 0;
  });
  return found == objects.end() ? 0 : static_cast<size_t>(found - objects.begin());
}

/// The order in which cores are dealt out: one after the other, or one of each NUMA node or socket in turn.
std::vector<size_t> deal_order(const std::vector<Bitmap>& cores, const Topology& topology, MapBy map_by) {
  std::vector<size_t> order(cores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (map_by != MapBy::numa && map_by != MapBy::socket) return order;
  const auto objects = topology.objects(map_by == MapBy::numa ? HWLOC_OBJ_NUMANODE : HWLOC_OBJ_PACKAGE);
  std::vector<size_t> used(objects.size()), turn(cores.size());
  for (size_t core = 0; core < cores.size(); ++core) turn[core] = used[holder(objects, cores[core].get())]++;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return turn[a] < turn[b]; });
  return order;
}

/// `threads` cores per rank, in dealing order; past the last core it starts again.
std::vector<Bitmap> deal(const std::vector<Bitmap>& cores, const std::vector<size_t>& order, int ranks, int threads) {
  std::vector<Bitmap> places;
  size_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    Bitmap& place = places.emplace_back(hwloc_bitmap_alloc());
    for (size_t i = 0; i < std::min(static_cast<size_t>(threads), order.size()); ++i)  // more would be the same again
      hwloc_bitmap_or(place.get(), place.get(), cores[order[next++ % order.size()]].get());
  }
  return places;
}

BindingPlan bind_to_objects(const std::vector<Bitmap>& places, const std::vector<Bitmap>& objects, const char* name) {
  BindingPlan plan{.ranks = {}, .reason = fmt::format("each rank to a {}, as asked", name)};
  for (const Bitmap& place : places) plan.ranks.push_back(make_binding(objects[holder(objects, place.get())].get()));
  return plan;
}

BindingPlan bind_to_cores(const std::vector<Bitmap>& places, std::string reason) {
  BindingPlan plan{.ranks = {}, .reason = std::move(reason)};
  for (const Bitmap& place : places) plan.ranks.push_back(make_binding(place.get()));
  return plan;
}

/// The user has not chosen: cores that nobody else has, or none.
BindingPlan bind_automatically(const Options& options, const std::vector<Bitmap>& cores,
                               const std::vector<size_t>& order, int threads, const ClaimCore& claim) {
  const auto needed = static_cast<size_t>(options.ranks()) * static_cast<size_t>(threads);
  if (options.ranks() == 1) return unbound(options, "none, a single rank may use every core");
  if (needed > cores.size()) {
    return unbound(options, fmt::format("none, {} cores are wanted and {} are usable", needed, cores.size()));
  }
  std::vector<size_t> mine;
  for (size_t core : order) {
    if (mine.size() < needed && claim(hwloc_bitmap_first(cores[core].get()))) mine.push_back(core);
  }
  if (mine.size() < needed) return unbound(options, "none, other jobs are bound to cores of this machine");
  return bind_to_cores(deal(cores, mine, options.ranks(), threads),
                       fmt::format("{} core{} per rank, there are enough", threads, threads == 1 ? "" : "s"));
}

}  // namespace

BindingPlan plan_binding(const Options& options, const Topology& topology, int threads, const ClaimCore& claim) {
  if (options.bind_to == BindTo::none) return unbound(options, "none, as asked");
  const auto cores = topology.objects(HWLOC_OBJ_CORE);
  const auto order = deal_order(cores, topology, options.map_by);
  if (options.bind_to == BindTo::automatic) return bind_automatically(options, cores, order, threads, claim);

  const auto places = deal(cores, order, options.ranks(), options.bind_to == BindTo::core ? threads : 1);
  if (options.bind_to == BindTo::numa)
    return bind_to_objects(places, topology.objects(HWLOC_OBJ_NUMANODE), "NUMA node");
  if (options.bind_to == BindTo::socket) return bind_to_objects(places, topology.objects(HWLOC_OBJ_PACKAGE), "socket");
  for (const Bitmap& core : cores) {
    const bool used = std::any_of(places.begin(), places.end(), [&](const Bitmap& place) {
      return hwloc_bitmap_intersects(place.get(), core.get()) != 0;
    });
    if (used) claim(hwloc_bitmap_first(core.get()));  // so that later jobs without a choice of their own stay away
  }
  const bool shared = static_cast<size_t>(options.ranks()) * static_cast<size_t>(threads) > cores.size();
  return bind_to_cores(places, fmt::format("each rank to {} core{}, as asked{}", threads, threads == 1 ? "" : "s",
                                           shared ? "; ranks share cores" : ""));
}

CoreClaims::~CoreClaims() {
  release();
}

void CoreClaims::release() {
  for (int fd : sockets_) close(fd);
  sockets_.clear();
}

bool CoreClaims::claim(int first_cpu) {
  // A name without a file: the kernel forgets it with the process.
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const auto end =
      fmt::format_to_n(address.sun_path + 1, sizeof address.sun_path - 1, "bowline-core-{}", first_cpu).out;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const auto size = static_cast<socklen_t>(end - reinterpret_cast<char*>(&address));
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    close(fd);
    return false;
  }
  sockets_.push_back(fd);
  return true;
}

int threads_per_rank(const char* omp_num_threads) {
  if (omp_num_threads == nullptr) return 1;
  int threads = 1;
  const char* end = omp_num_threads + strlen(omp_num_threads);
  const auto [stop, error] = std::from_chars(omp_num_threads, end, threads);
  return error == std::errc{} && (stop == end || *stop == ',') && threads > 1 ? threads : 1;
}

}  // namespace bowline::launcher
