// SPDX-License-Identifier: BSD-3-Clause
#include "engines.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "coll/calls/team_channel.hpp"
#include "support/network.hpp"
#include "transport/faulty.hpp"

namespace bowline::coll {
namespace {

class RunningMember {
 public:
  RunningMember(transport::Device& device, std::uint32_t seed, int rank, int size,
                const std::function<Task(Channel&)>& make_task)
      : device_(device, seed),
        engine_(
            size, [this](int to) { return device_.connect(to, {}); }, WaitPolicy{}, lock_),
        team_{.engine = engine_, .context = 1, .ranks = {}, .rank = rank, .size = size, .oversubscribed = false},
        channel_(team_, team_.blocking.next_tag(), {}),
        task_(make_task(channel_)) {
    engine_.add_device(device_);
    task_.start();
  }
  bool progress() {
    engine_.progress();
    return task_.done();
  }
  void result() { task_.result(); }

 private:
  OwnerLock lock_;
  transport::FaultyDevice device_;
  proto::Engine engine_;
  Team team_;
  TeamChannel channel_;
  Task task_;
};

}  // namespace

void run_over_engines(int size, std::uint32_t seed, const std::function<Task(Channel&)>& make_task) {
  constexpr std::array reaches = {test::Reach::nothing, test::Reach::single_copy, test::Reach::get, test::Reach::put};
  test::MemoryNetwork network(size, 4, reaches[seed % reaches.size()]);
  std::vector<std::unique_ptr<RunningMember>> members;
  for (int rank = 0; rank < size; ++rank) {
    members.push_back(std::make_unique<RunningMember>(
        network.device(rank), seed * 100 + static_cast<std::uint32_t>(rank), rank, size, make_task));
  }
  bool all_done = false;
  for (int round = 0; round < 1'000'000 && !all_done; ++round) {
    all_done = true;
    for (auto& member : members) all_done &= member->progress();
  }
  ASSERT_TRUE(all_done) << "members wait for each other";
  for (int round = 0; round < 100; ++round) {  // what concerns finished transfers only
    for (auto& member : members) member->progress();
  }
  for (auto& member : members) member->result();
}

}  // namespace bowline::coll
