// SPDX-License-Identifier: BSD-3-Clause
// base/reference_count: whoever destroys an object does so after all accesses of the others.
#include "base/reference_count.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"

namespace bowline {
namespace {

/// Each thread has a reference. One takes another and gives it to nobody; all use the object and release it.
struct Shared : model::Suite<Shared, 3> {
  ReferenceCount references{3};
  std::array<model::Plain<int>, 3> parts;
  int destroyed = 0;

  void run(unsigned index) {
    if (index == 0) {
      references.retain();
      use(index);
      release();
    }
    use(index);
    release();
  }
  void use(unsigned index) { parts[index].set(1); }
  void release() {
    if (!references.release()) return;
    for (model::Plain<int>& part : parts) part.set(0);
    ++destroyed;
  }
  void after() { RL_ASSERT(destroyed == 1); }
};

TEST(ReferenceCount, TheLastOneDestroysAfterAllAccesses) {
  model::explore<Shared>(20'000);
}

}  // namespace
}  // namespace bowline
