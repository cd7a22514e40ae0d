// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/file.hpp"

#include <fmt/format.h>

#include <utility>

#include "mpiio/storage/io_errors.hpp"
#include "node/host.hpp"

namespace bowline::mpiio {

File::File(comm::Communicators& communicators, comm::Communicator& comm, OpenedFile opened)
    : communicators_(communicators),
      comm_(comm),
      opened_(std::move(opened)),
      hints_(opened_.hints),
      view_(std::make_shared<const View>()),
      pointer_(opened_.start),
      opens_(*opened_.storage, opened_.number),
      reading_costs_(opened_.system.remote),
      writing_costs_(opened_.system.remote),
      turns_(comm.engine()) {
  const bool near_rank_0 = units().unit(comm.rank()) == units().unit(0);
  shared_pointer_.emplace(comm, near_rank_0 ? &opened_.share->pointer() : nullptr);
}

File::~File() {
  mark_.store(0, std::memory_order_relaxed);
  shared_pointer_.reset();
  communicators_.free(comm_);
}

Hints File::hints() const {
  const std::lock_guard hold(mutex_);
  return hints_;
}

void File::set_hints(const Hints& hints) {
  const std::lock_guard hold(mutex_);
  hints_ = hints;
}

std::shared_ptr<const View> File::view() const {
  const std::lock_guard hold(mutex_);
  return view_;
}

void File::set_view(std::shared_ptr<const View> view) {
  const std::lock_guard hold(mutex_);
  view_ = std::move(view);
  pointer_ = 0;
}

Offset File::pointer() const {
  const std::lock_guard hold(mutex_);
  return pointer_;
}

void File::set_pointer(Offset etypes) {
  const std::lock_guard hold(mutex_);
  pointer_ = etypes;
}

Offset File::advance_pointer(Offset etypes) {
  const std::lock_guard hold(mutex_);
  return std::exchange(pointer_, pointer_ + etypes);
}

Offset File::size() const {
  Offset bytes = 0;
  if (const int error = storage().size(bytes); error != 0)
    throw io_error(error, fmt::format("asking for the size of {} by {}", name(), where()));
  return bytes;
}

bool File::may_sieve_writes() const noexcept {
  return opened_.units.count() == 1 && (opened_.may_register || opened_once());
}

void File::await_turns() {
  proto::Engine& engine = comm_.engine();
  const LockGuard lane(engine.lock());
  if (turns_.idle()) return;
  engine.wait_until([this] { return turns_.idle(); }, {[](proto::Engine&, const void*) -> proto::WaitDescription {
                                                         return {"for collective accesses to the file"};
                                                       },
                                                       nullptr});
}

void File::refuse_pending(const char* what) const {
  const int pending = pending_.load(std::memory_order_acquire);
  if (pending == 0) return;
  throw Error(ErrorClass::request,
              fmt::format("{} has {} pending non-blocking operations: complete them before {}", name(), pending, what));
}

std::string File::where() const {
  return fmt::format("rank {} on {}", comm_.rank(), node::host_name());
}

}  // namespace bowline::mpiio
