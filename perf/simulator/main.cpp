// SPDX-License-Identifier: BSD-3-Clause
// bowline-sim: simulates a collective operation on a machine that need not exist: how long it takes and what it sends.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>

#include "coll/machine/hierarchy.hpp"
#include "coll/selection/selection.hpp"
#include "simulator/options.hpp"
#include "simulator/simulation.hpp"
#include "simulator/workload.hpp"

namespace bowline::sim {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What members know of the machine: the levels that the user has not taken away.
class KnownMachine final : public coll::Machine {
 public:
  KnownMachine(const Cluster& cluster, const std::vector<Level>& known) : cluster_(cluster), known_(known) {}
  int unit(Level level, int rank) const override {
    return std::ranges::find(known_, level) == known_.end() ? -1 : cluster_.unit(level, rank);
  }

 private:
  const Cluster& cluster_;
  const std::vector<Level>& known_;
};

/// One point: an operation on so many nodes with so many bytes, by one algorithm.
struct Point {
  Call call;
  int nodes;
  coll::Choice choice;
};

class Output {
 public:
  Output(const Options& options) : options_(options) {
    if (!options.csv) return;
    fmt::print("op,algorithm,segment,nodes,ranks,bytes,time_us");
    for (int level = 0; level < coll::levels; ++level) {
      const auto name = coll::name_of(static_cast<Level>(level));
      fmt::print(",{}_messages,{}_bytes", name, name);
    }
    fmt::print(",adapter_messages,scratch_of_one,scratch_of_all,frames,frame_bytes,events,seconds\n");
  }

  void print(const Point& point, int ranks, const Report& report, const Network& network, double seconds) const {
    if (options_.csv) {
      print_row(point, ranks, report, network, seconds);
    } else {
      print_text(point, ranks, report, network, seconds);
    }
    std::fflush(stdout);
  }

 private:
  static void print_row(const Point& point, int ranks, const Report& report, const Network& network, double seconds) {
    fmt::print("{},{},{},{},{},{},{:.3f}", coll::name_of(point.call.operation), point.choice.algorithm->name,
               point.choice.segment, point.nodes, ranks, point.call.bytes, static_cast<double>(report.end) * 1e-6);
    for (const Traffic& traffic : report.traffic) fmt::print(",{},{}", traffic.messages, traffic.bytes);
    fmt::print(",{},{},{},{},{},{},{:.3f}\n", network.load(Network::Kind::adapter_in).most_messages,
               report.scratch_of_one, report.scratch_of_all, report.frames.frames, report.frames.bytes, report.events,
               seconds);
  }

  static void print_text(const Point& point, int ranks, const Report& report, const Network& network, double seconds) {
    const std::string segments =
        point.choice.segment == 0 ? "" : fmt::format(", segments of {} bytes", point.choice.segment);
    fmt::print("{} by {}{}: {} ranks on {} nodes, {} bytes\n", coll::name_of(point.call.operation),
               point.choice.algorithm->name, segments, ranks, point.nodes, point.call.bytes);
    fmt::print("  time      {:.3f} us\n", static_cast<double>(report.end) * 1e-6);
    for (int level = 0; level < coll::levels; ++level) {
      const Traffic& traffic = report.traffic[static_cast<std::size_t>(level)];
      if (traffic.messages == 0) continue;
      fmt::print("  {:<9} {} messages, {} bytes\n", coll::name_of(static_cast<Level>(level)), traffic.messages,
                 traffic.bytes);
    }
    const LinkLoad adapters = network.load(Network::Kind::adapter_in);
    if (adapters.links > 0) {
      fmt::print("  adapters  at most {} messages into one, {:.3f} us occupied\n", adapters.most_messages,
                 adapters.busiest * 1e-3);
    }
    fmt::print("  memory    {} bytes of one member at most, {} of all\n", report.scratch_of_one, report.scratch_of_all);
    fmt::print("  frames    {} of coroutines, {} bytes\n", report.frames.frames, report.frames.bytes);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("  simulated in {:.2f} s with {} events; {:.2f} GiB at most so far\n", seconds, report.events,
               static_cast<double>(usage.ru_maxrss) / (1 << 20));
  }

  const Options& options_;
};

/// The calls of a row, up to where it repeats itself. As in perf/coll, the root of each is the rank below the last
/// one's: with the same one every time, ranks that wait for nobody would run ever further ahead.
std::deque<Workload> row_of(const Options& options, const Point& point, int ranks) {
  std::deque<Workload> row;
  Call call = point.call;
  for (int number = 0; number < std::min(options.calls, ranks); ++number) {
    row.emplace_back(call, ranks, point.choice.segment);
    call.root = call.root == 0 ? ranks - 1 : call.root - 1;
  }
  return row;
}

void simulate(const Options& options, const Point& point, const Output& output) {
  const auto begin = Clock::now();
  const Cluster cluster(options.parameters, point.nodes, options.ranks_per_node, options.placement);
  coll::Hierarchy hierarchy(KnownMachine(cluster, options.known), cluster.ranks(), [](int member) { return member; });
  for (const coll::Hierarchy::Fixed& fixed : options.stages) hierarchy.fix(fixed);
  const std::deque<Workload> workloads = row_of(options, point, cluster.ranks());
  Simulation simulation(cluster, &hierarchy);
  auto told = begin;
  const auto progress = [&](int finished, Time now) {
    constexpr double every = 2;
    if (options.quiet || seconds_since(told) < every) return;
    told = Clock::now();
    fmt::print(stderr, "bowline-sim: {} of {} ranks have finished, {:.1f} us simulated in {:.0f} s\n", finished,
               cluster.ranks(), static_cast<double>(now) * 1e-6, seconds_since(begin));
  };
  const Report report = simulation.run(
      [&](coll::Channel& channel, int number) {
        const Workload& workload = workloads[static_cast<std::size_t>(number) % workloads.size()];
        return point.choice.algorithm->run(channel, workload.of(channel.rank()));
      },
      options.calls, progress);
  output.print(point, cluster.ranks(), report, simulation.network(), seconds_since(begin));
}

void list_algorithms() {
  for (int number = 0; number < coll::operations; ++number) {
    const auto operation = static_cast<coll::Operation>(number);
    for (const coll::Algorithm* const algorithm : by_messages(operation)) {
      fmt::print("{:<22} {:<28} {}\n", coll::name_of(operation), algorithm->name, algorithm->summary);
    }
  }
}

/// An algorithm that does not serve a call is left out with a word.
bool possible(const Call& call, const coll::Algorithm& algorithm, int ranks) {
  const coll::Situation situation{.ranks = ranks, .bytes = call.bytes, .ordered = call.ordered};
  if (coll::serves(algorithm, situation)) return true;
  fmt::print(stderr, "bowline-sim: {} by {} is left out: it does not serve {} ranks{}\n", coll::name_of(call.operation),
             algorithm.name, ranks, call.ordered ? " with an operator that does not commute" : "");
  return false;
}

/// The algorithms to run a call with: the named ones, or the one that would be chosen.
std::vector<coll::Choice> choices(const Options& options, const Call& call, int nodes) {
  const int ranks = nodes * options.ranks_per_node;
  if (options.algorithms.empty()) {
    const int cores = options.parameters.cores_per_node;
    const bool one_node = nodes == 1;
    const Workload workload(call, ranks, 0);
    return {coll::choose(call.operation, {.ranks = ranks,
                                          .bytes = coll::bytes_of(call.operation, workload.of(0), ranks),
                                          .ordered = call.ordered,
                                          .oversubscribed = one_node && cores != 0 && cores < ranks,
                                          .one_node = one_node})};
  }
  std::vector<coll::Choice> found;
  for (const coll::Algorithm* algorithm : options.algorithms) {
    if (possible(call, *algorithm, ranks)) {
      found.push_back({algorithm, algorithm->segmented ? options.segment : 0});
    }
  }
  return found;
}

/// Returns whether anything was simulated.
bool run(const Options& options) {
  if (options.list) list_algorithms();
  if (options.print_machine) fmt::print("{}\n", to_json(options.parameters));
  if (options.list || options.print_machine) return true;
  const Output output(options);
  bool any = false;
  for (const int nodes : options.nodes) {
    for (const std::size_t bytes : options.bytes) {
      const Call call{.operation = options.operation, .bytes = bytes, .root = options.root, .ordered = options.ordered};
      for (const coll::Choice& choice : choices(options, call, nodes)) {
        simulate(options, {call, nodes, choice}, output);
        any = true;
      }
    }
  }
  return any;
}

}  // namespace
}  // namespace bowline::sim

int main(int argc, char** argv) {
  try {
    const auto options = bowline::sim::parse(argc, argv);
    if (!options.has_value()) return 0;
    return bowline::sim::run(*options) ? 0 : 1;
  } catch (const bowline::sim::UsageError& error) {
    fmt::print(stderr, "bowline-sim: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bowline-sim: {}\n", error.what());
    return 1;
  }
}
