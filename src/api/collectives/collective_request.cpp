// SPDX-License-Identifier: BSD-3-Clause
#include "api/collectives/collective_request.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/failure.hpp"
#include "coll/calls/call_comparison.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

/// The requests of one lane, guarded by its lock.
struct LanePool {
  Pool<CollectiveRequest> requests;
  std::uint16_t generation = 0;
};

/// From this number of bytes on, moving the data takes longer than waking a thread.
constexpr std::size_t worth_leaving = 32 << 10;

LanePool& pool_of(std::uint32_t context) {
  static auto* const pools = new std::array<LanePool, proto::max_lanes>;  // not destroyed by exit()
  return (*pools)[proto::lane_of(context)];
}

}  // namespace

CollectiveRequest& CollectiveRequest::make(comm::Communicator& comm, coll::Operation operation) {
  LanePool& pool = pool_of(comm.context());
  CollectiveRequest& request = *pool.requests.make(comm, operation);
  request.generation = pool.generation++ % generations;
  return request;
}

void CollectiveRequest::dispose() noexcept {
  mark = 0;
  pool_of(context).requests.destroy(this);
}

bool CollectiveRequest::begin() {
  coll::Team& team = call.comm().team();
  // Members that compare their calls can take sequence numbers in shared memory only after they have agreed, and then
  // in an order that not all members know. So no numbers are taken.
  const auto source = coll::checks_collectives() ? coll::SequenceSource::none : coll::SequenceSource::of_many;
  channel_.emplace(team, team.order_of_nonblocking().next_tag(), call.next_id(coll::CallForm::nonblocking), source);
  if (go()) return true;
  if (!done) proto::ProgressThread::operation_begun();
  return false;
}

void CollectiveRequest::make_persistent() {
  coll::Team& team = call.comm().team();
  channel_.emplace(team, team.next_persistent_tag(), call.next_id(coll::CallForm::persistent),
                   coll::SequenceSource::of_its_own);
  persistent = true;
  active = false;
  done = true;
}

bool CollectiveRequest::go() {
  // Long operations are left to the progress thread, so that the program can compute. Their order among the other
  // operations is fixed already.
  const bool left = proto::ProgressThread::runs() && call.moves() >= worth_leaving;
  channel_->forget_failure();
  try {
    call.comm().team().refuse_if_interrupted();
    if (!left) call.before();
    channel_->begin_at_once(!left);
    Task begun = call.begin(*channel_, persistent ? coll::CallForm::persistent : coll::CallForm::nonblocking);
    if (left || !begun.done()) {
      go_on(*this, std::move(begun), left);
      return false;
    }
    channel_->check();
    call.after();
    return true;
  } catch (...) {
    fail(bowline::Failure::current());
    end();
    return false;
  }
}

Background CollectiveRequest::go_on(CollectiveRequest& self, Task begun, bool left) {
  try {
    if (left) {
      auto later = self.call.comm().engine().loop().next_round();
      co_await later;
      self.call.before();
    }
    co_await begun;
    self.channel_->check();
    self.call.after();
  } catch (...) {
    self.fail(bowline::Failure::current());
  }
  begun = {};
  self.end();
}

void CollectiveRequest::end() noexcept {
  channel_->close_slots();  // at once, and not when the user completes the request: other members wait for the slots
  call.comm().engine().complete(*this);
}

std::string CollectiveRequest::in_words(proto::Engine&) const {
  return fmt::format("a {} {} {}", persistent ? "persistent" : "non-blocking", name_of(call.operation()),
                     channel_->in_words());
}

const char* CollectiveRequest::bound() const noexcept {
  return persistent ? "a persistent collective operation that is active" : "a non-blocking collective operation";
}

}  // namespace bowline::api
