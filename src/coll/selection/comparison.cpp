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

std::string name_of(const Way& way) {
  return way.segment == 0 ? std::string(way.algorithm->name) : fmt::format("{}:{}", way.algorithm->name, way.segment);
}

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

/// "ring 410.2 us, chain:8192 300.1 us": the mean over the members.
std::string in_words(const NetworkTrials::Decision& decision, int members) {
  std::vector<std::string> measured;
  for (std::size_t i = 0; i < decision.ticks.size(); ++i) {
    const double seconds = static_cast<double>(decision.ticks[i]) / NetworkTrials::ticks_in_second / members;
    measured.push_back(fmt::format("{} {:.1f} us", name_of(decision.trial->ways().list[i]), seconds * 1e6));
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

Task compare(Channel& channel, std::int32_t call, NetworkTrials& trials) {
  NetworkTrials::Sums sums = trials.measured();
  Task adding = add_up(channel, sums);
  co_await adding;
  if (channel.failed()) {
    trials.abandon(call);
    co_return;
  }
  for (const NetworkTrials::Decision& decision : trials.decide(call, sums)) {
    comparisons.add();
    if (decision.changed) changes.add();
    if (channel.rank() == 0 && log::enabled(log::Level::info)) {
      log::info("{} of up to {} bytes among {} ranks on several nodes: {} ({})", name_of(decision.operation),
                decision.most_bytes, channel.size(), name_of(decision.trial->in_use()),
                in_words(decision, channel.size()));
    }
  }
}

}  // namespace bowline::coll
