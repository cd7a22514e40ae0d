// SPDX-License-Identifier: BSD-3-Clause
// A rank that uses the wire-up alone: it publishes who it is, looks up all others, and compares that with what the
// wire-up says of them. The first argument is a rank that comes late, or -1.
#include <fmt/format.h>
#include <pmix.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "wireup/wireup.hpp"

namespace {

using bowline::wireup::Wireup;

constexpr const char* key = "test.card";
constexpr auto lateness = std::chrono::milliseconds(700);

std::string node_name() {
  const char* const name = std::getenv("SLURMD_NODENAME");
  return name == nullptr ? "" : name;
}

std::string card_of(Wireup& wireup, int rank) {
  const std::vector<std::byte> bytes = wireup.lookup({wireup.identity().job, rank}, key);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Throws what does not hold.
void require(bool holds, const std::string& what) {
  if (!holds) throw bowline::Error(bowline::ErrorClass::other, what);
}

void look_up_all(Wireup& wireup, bool somebody_is_late) {
  const auto& me = wireup.identity();
  std::map<int, std::string> host_of;  // by number of the node
  const auto began = std::chrono::steady_clock::now();
  for (int step = 0; step < me.size; ++step) {
    const int rank = (me.rank + step) % me.size;
    const std::string card = card_of(wireup, rank);
    const int node = wireup.node_of(rank);
    const std::string host = card.substr(card.find(' ') + 1);
    const bool here = std::ranges::binary_search(me.local_ranks, rank);
    require(card.starts_with(fmt::format("{} ", rank)), fmt::format("the card of rank {} is \"{}\"", rank, card));
    require(here == (host == node_name()), fmt::format("rank {} is on {}, local: {}", rank, host, here));
    require(here == (node == wireup.node_of(me.rank)),
            fmt::format("rank {} is on node {}, local: {}", rank, node, here));
    const std::string& known = host_of.try_emplace(node, host).first->second;
    require(known == host, fmt::format("node {} is {} and {}", node, known, host));
  }
  require(std::ssize(host_of) == me.nodes && host_of.rbegin()->first == me.nodes - 1,
          fmt::format("ranks are on {} nodes, but there are {}", host_of.size(), me.nodes));
  std::set<std::string> hosts;
  for (const auto& [node, host] : host_of) hosts.insert(host);
  require(std::ssize(hosts) == me.nodes, "two nodes are one host");
  const bool waited = std::chrono::steady_clock::now() - began > lateness / 2;
  require(!somebody_is_late || waited, "nobody waited for the late rank");
}

/// Nobody may leave before all have looked up everything. Slurm's fence is a barrier only if it collects data. Its PMI
/// server has all keys on each node.
void await_all(const bowline::wireup::Identity& me) {
  if (std::getenv("PMIX_NAMESPACE") == nullptr) return;
  pmix_proc_t job{};
  PMIX_LOAD_PROCID(&job, me.job.c_str(), PMIX_RANK_WILDCARD);
  pmix_info_t collect{};
  bool yes = true;
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  if (me.size > 1) require(PMIx_Fence(&job, 1, &collect, 1) == PMIX_SUCCESS, "PMIx_Fence fails");
  PMIX_INFO_DESTRUCT(&collect);
}

}  // namespace

int main(int argc, char** argv) try {
  const int late = argc > 1 ? std::atoi(argv[1]) : -1;
  const auto wireup = bowline::wireup::connect();
  const auto& me = wireup->identity();
  const std::string card = fmt::format("{} {}", me.rank, node_name());
  wireup->publish(key, std::as_bytes(std::span(card)));
  if (me.rank == late) std::this_thread::sleep_for(lateness);
  wireup->exchange();
  // Those beside it have waited in exchange().
  const bool beside = std::ranges::binary_search(me.local_ranks, late);
  look_up_all(*wireup, late >= 0 && !beside);
  std::puts(fmt::format("rank {} of {} on node {} of {}, switches {}", me.rank, me.size, wireup->node_of(me.rank),
                        me.nodes, me.switches)
                .c_str());
  await_all(me);
  wireup->finalize();
} catch (const bowline::Error& error) {
  std::fprintf(stderr, "wireup_client: %s\n", error.what());
  return 1;
}
