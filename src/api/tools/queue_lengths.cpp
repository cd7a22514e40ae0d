// SPDX-License-Identifier: BSD-3-Clause
// The number of posted receives is counted when a tool reads it, so that posting and matching cost nothing.
#include "api/tools/queue_lengths.hpp"

#include <cstdint>

#include "api/entry/this_process.hpp"
#include "base/atomic.hpp"
#include "base/counter.hpp"

namespace bowline::api {
namespace {

std::uint64_t posted_in(proto::Matching& matching) {
  std::uint64_t receives = 0;
  matching.for_each_queue([&](proto::MatchQueue& queue) {
    queue.posted.all().find([&](const proto::ReceiveRequest&) {
      ++receives;
      return false;
    });
  });
  return receives;
}

class PostedLength final : public Measure {
 public:
  PostedLength()
      : Measure(Kind::level, Category::messages, "posted_recvq_length",
                "receives that no message has matched; while other threads are in MPI, as of an earlier look") {}

  std::uint64_t value() const noexcept override {
    if (!this_process().seen_running()) return 0;
    const proto::Lanes& lanes = this_process().lanes();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < lanes.count(); ++i) {
      if (!look_at_queues(lanes[i], [&](proto::Matching& matching) { sum += posted_in(matching); }))
        return last_.load(std::memory_order_relaxed);
    }
    last_.store(sum, std::memory_order_relaxed);
    return sum;
  }

 private:
  mutable Atomic<std::uint64_t> last_{0};
};

PostedLength posted_length;

}  // namespace

bool look_at_queues(proto::Engine& lane, const std::function<void(proto::Matching&)>& action) {
  OwnerLock& lock = lane.lock();
  if (!lock.enabled() && !this_process().is_main_thread()) return false;
  if (!lock.try_acquire()) return false;
  action(lane.matching());
  lock.release();
  return true;
}

}  // namespace bowline::api
