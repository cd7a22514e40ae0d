// SPDX-License-Identifier: BSD-3-Clause
// proto/sleepers and mpiio/async/work: a thread does not sleep through what it waits for.
#include "proto/sleepers.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"
#include "mpiio/async/work.hpp"
#include "proto/sleeping_place.hpp"

namespace bowline {
namespace {

/// What an executor has done.
struct Access final : mpiio::Work {
  using Work::Work;
  void execute() noexcept override { bytes.set(4); }
  model::Plain<int> bytes;
};

/// Two threads wait for one access each, and sleep if it has not ended; a third one executes both.
struct Executed : model::Suite<Executed, 3> {
  proto::SleepingPlace place;
  proto::Lanes lanes{&place};
  proto::Engine engine{lanes};
  proto::Sleepers& sleepers = lanes.sleepers();
  Access first{engine}, second{engine};

  void run(unsigned index) {
    if (index == 2) {
      for (Access* const access : {&first, &second}) {
        access->execute();
        access->finish();
      }
    } else {
      wait(index == 0 ? first : second);
    }
  }
  void wait(Access& access) {
    while (!access.finished()) {
      sleepers.begin();
      sleepers.announce(place);
      if (access.finished())
        sleepers.withdraw(place);
      else
        sleepers.sleep(place, 100);
    }
    RL_ASSERT(access.bytes.get() == 4);
  }
};

TEST(Sleepers, NobodySleepsThroughTheEndOfAnAccess) {
  model::explore<Executed>(60'000);
}

}  // namespace
}  // namespace bowline
