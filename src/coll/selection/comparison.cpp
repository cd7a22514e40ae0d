// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/counter.hpp"
#include "base/log.hpp"
#include "coll/channel/agreement.hpp"

namespace bowline::coll {
namespace {

Counter comparisons(Category::collectives, "collective_comparisons",
                    "times that the members of a communicator compared algorithms");
Counter changes(Category::collectives, "collective_changes",
                "times that they chose another algorithm than the one in use");

/// "single_copy 41.3 us, slots 55.0 us": the mean over the members.
std::string in_words(const Trial& trial, const Trial::Times& sums, int members) {
  std::vector<std::string> measured;
  for (std::size_t i = 0; i < trial.candidates().size(); ++i) {
    if (sums[i] == Trial::not_measured) continue;
    measured.push_back(
        fmt::format("{} {:.1f} us", trial.candidates()[i]->name, sums[i] / static_cast<float>(members) * 1e6F));
  }
  return fmt::format("{}", fmt::join(measured, ", "));
}

}  // namespace

Task compare(Channel& channel, Operation operation, std::size_t bytes, Trial& trial) {
  using Times = Trial::Times;
  const Scratch all(channel, static_cast<std::size_t>(channel.size()) * sizeof(Times));
  const Blocks blocks(all.data(), sizeof(Times));
  channel.copy(std::as_bytes(std::span(trial.times())), blocks[channel.rank()].data());
  const Arguments exchange{.input = blocks[channel.rank()], .receive = blocks};
  Task exchanging = allgather_bruck(channel, exchange);
  co_await exchanging;
  if (channel.failed()) co_return;
  Times sums{};
  for (int member = 0; member < channel.size();
       ++member) {  // in the same order in all members, so that all get equal sums
    Times times;
    std::memcpy(times.data(), blocks[member].data(), sizeof times);
    std::ranges::transform(sums, times, sums.begin(), std::plus());
  }
  const bool changed = trial.decide(sums);
  comparisons.add();
  if (changed) changes.add();
  if (channel.rank() == 0 && log::enabled(log::Level::info)) {
    log::info("{} of {} bytes among {} ranks: {} ({})", name_of(operation), bytes, channel.size(),
              trial.algorithm().name, in_words(trial, sums, channel.size()));
  }
}

}  // namespace bowline::coll
