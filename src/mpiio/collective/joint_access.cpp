// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/joint_access.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "base/log.hpp"
#include "coll/calls/collectives.hpp"
#include "coll/selection/composed.hpp"
#include "dtype/predefined.hpp"
#include "mpiio/async/workers.hpp"
#include "mpiio/collective/access_plan.hpp"
#include "mpiio/collective/steps.hpp"
#include "mpiio/collective/two_phase.hpp"
#include "mpiio/file/together.hpp"
#include "mpiio/storage/io_errors.hpp"

namespace bowline::mpiio {
namespace {

// From this average length of pieces on, processes are expected to move their own pieces at least as fast as
// aggregators move windows of all processes. Reads from a local file system find out.
constexpr std::int64_t long_local_piece = 16 << 10;
constexpr std::int64_t long_remote_piece = 1 << 20;

/// An independent access as a part of a collective access.
class OwnAccess final : public Work {
 public:
  OwnAccess(proto::Engine& engine, FileTransfer& transfer) noexcept : Work(engine), transfer_(transfer) {}

  void execute() noexcept override {
    failure_ = attempt([this] {
      transfer_.run();
      transfer_.check();
    });
  }
  const std::optional<Error>& failure() const noexcept { return failure_; }

 private:
  FileTransfer& transfer_;
  std::optional<Error> failure_;
};

class Execution {
 public:
  Execution(coll::TeamChannel& channel, JointAccess& joint) noexcept
      : file_(joint.file), team_(joint.file.comm().team()), channel_(channel), joint_(joint) {}

  Task run() {
    if (joint_.ordered) {
      Task placing = place_in_order();
      co_await placing;
    }
    Summary all = own_summary();
    Task summarizing = summarize_all(channel_, all);
    co_await summarizing;
    file_.read_choice().learn(all);
    if (all.failed < team_.size) {
      Task sharing = share_error(channel_, joint_.failure);
      co_await sharing;
      co_return;
    }
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    if (uses_windows(all)) {
      Task moving = move_through_windows(all);
      co_await moving;
    } else {
      Task moving = move_own();
      co_await moving;
      Task sharing = share_error(channel_, joint_.failure);
      co_await sharing;
    }
    if (!joint_.writes && joint_.waits) file_.read_choice().took(Clock::now() - start);
  }

 private:
  std::size_t bytes() const noexcept { return joint_.transfer == nullptr ? 0 : joint_.transfer->bytes(); }
  /// Whether another process can find out where this process's data lie in a part of the file.
  bool alone() const noexcept {
    if (bytes() == 0) return false;
    const Access access = joint_.transfer->access();
    return !joint_.transfer->view().ascends(access.position, access.bytes);
  }

  /// The data of this process begin behind the data of all lower ranks. Rank 0 moves the shared pointer in one step,
  /// when it knows by how much: while this access waits, independent accesses may move the pointer.
  Task place_in_order() {
    std::array<std::int64_t, 1> mine = {joint_.transfer == nullptr ? 0 : joint_.transfer->etypes()};
    std::array<std::int64_t, 1> end{}, total{};
    coll::Arguments together{
        .root = 0,
        .input = std::as_bytes(std::span(mine)),
        .result = team_.rank == 0 ? std::as_writable_bytes(std::span(total)) : std::span<std::byte>(),
        .reduction = &sum()};
    Task adding = coll::begin(channel_, coll::Operation::reduce, together, coll::CallForm::internal);
    co_await adding;
    channel_.check();
    std::array<std::int64_t, 1> first = mine;
    if (team_.rank == 0) first[0] += file_.shared_pointer().add(total[0]);
    coll::Arguments in_front{.input = std::as_bytes(std::span(first)),
                             .result = std::as_writable_bytes(std::span(end)),
                             .reduction = &sum()};
    Task scanning = coll::begin(channel_, coll::Operation::scan, in_front, coll::CallForm::internal);
    co_await scanning;
    channel_.check();
    if (joint_.transfer != nullptr) joint_.transfer->begin_at(end[0] - mine[0]);
  }

  Summary own_summary() {
    Summary own{.failed = team_.size,
                .begin = TwoPhase::nowhere,
                .end = 0,
                .individual = 0,
                .spans = 0,
                .pieces = 0,
                .looked = 0,
                .granule = 0,
                .time = file_.read_choice().take_time()};
    if (!joint_.failure && joint_.transfer != nullptr) joint_.failure = attempt([this] { joint_.transfer->before(); });
    if (joint_.failure) own.failed = team_.rank;
    if (joint_.failure || bytes() == 0) return own;
    if (alone()) {
      own.individual = 1;
      return own;
    }
    const Access access = joint_.transfer->access();
    const View& view = joint_.transfer->view();
    own.begin = view.offset_of(access.position);
    own.end = view.offset_of(access.position + access.bytes - 1) + 1;
    own.spans = own.end - own.begin;
    std::array<FilePiece, 64> some;
    FilePieces pieces(view, access.position, access.bytes);
    own.pieces = static_cast<std::int64_t>(pieces.next(some));
    own.looked = static_cast<std::int64_t>(access.bytes - pieces.left());
    own.granule = static_cast<std::int64_t>(
        std::gcd(view.granule(), std::gcd(access.position, static_cast<std::uint64_t>(access.bytes))));
    return own;
  }

  bool uses_windows(const Summary& all) const {
    const Hints hints = file_.hints();
    const Use use = joint_.writes ? hints.cb_write : hints.cb_read;
    if (use == Use::disabled || team_.size == 1 || file_.atomic() || all.begin >= all.end) return false;
    if (use == Use::enabled) return true;
    const bool interleaved = all.spans > all.end - all.begin;
    const std::int64_t long_piece = file_.system().remote ? long_remote_piece : long_local_piece;
    if (!interleaved) return false;
    const bool guess = all.looked < all.pieces * long_piece;
    if (joint_.writes || file_.system().remote) return guess;
    return file_.read_choice().by_windows(all, guess, joint_.waits);
  }

  Task move_own() {
    if (bytes() == 0) co_return;
    OwnAccess own(team_.engine, *joint_.transfer);
    if (joint_.waits && !team_.engine.lock().enabled()) {
      own.execute();
    } else {
      Workers::here().start(own);
      auto end = own.end();
      co_await end;
    }
    joint_.failure = own.failure();
  }

  Task move_through_windows(const Summary& all) {
    const Hints hints = file_.hints();
    const Units units = units_for(hints);
    const Plan plan(units, hints, file_.system(), all);
    bool usable = false;
    Task preparing = file_.windows().prepare(channel_, plan, usable);
    co_await preparing;
    if (!usable) {
      Task moving = move_own();
      co_await moving;
      Task sharing = share_error(channel_, joint_.failure);
      co_await sharing;
      co_return;
    }
    const View nothing;
    const bool takes_part = bytes() > 0 && !alone();
    const Access access =
        takes_part ? joint_.transfer->access() : Access{joint_.writes, {nullptr, 0, &dtype::byte_type()}, 0, 0};
    TwoPhase phases(file_, channel_, plan, file_.windows(), takes_part ? joint_.transfer->view() : nothing, access,
                    joint_.waits);
    Task moving = phases.run();
    co_await moving;
    if (takes_part) {
      joint_.transfer->end({phases.moved(), 0});
      joint_.failure = attempt([&] { joint_.transfer->after(phases.moved()); });
    }
    const Fault& fault = phases.own_fault();
    if (!joint_.failure && fault.error != 0 && fault.offset == phases.first_fault()) joint_.failure = in_words(fault);
    if (alone()) {
      Task alone_moving = move_own();
      co_await alone_moving;
    }
    const bool converts = !file_.view()->representation().native();
    if (phases.first_fault() == TwoPhase::nowhere && all.individual == 0 && !converts) co_return;
    Task sharing = share_error(channel_, joint_.failure);
    co_await sharing;
  }

  /// The processes that merge their data in shared memory.
  Units units_for(const Hints& hints) const {
    const Units& nodes = file_.units();
    if (hints.cb_levels == Use::disabled || nodes.count() == team_.size) return Units(team_.size);
    return hints.cb_unit > 0 && nodes.count() == 1 ? Units::in_groups(team_.size, hints.cb_unit) : nodes;
  }

  Error in_words(const Fault& fault) const {
    return io_error(fault.error, fmt::format("{} by {} for all processes",
                                             access_in_words(joint_.writes, fault.bytes, fault.offset, file_.name()),
                                             file_.where()));
  }

  File& file_;
  coll::Team& team_;
  coll::TeamChannel& channel_;
  JointAccess& joint_;
};

/// This process cannot go on with the access, and other processes may wait for it: for a message, or for its part in
/// the next step. Those processes get the error instead, and abandon the access as well.
void abandon(coll::TeamChannel& channel, const Error& why) noexcept {
  try {
    channel.fail(why);
    for (int member = 0; member < channel.size(); ++member) {
      if (member == channel.rank()) continue;
      const auto told = channel.send(member, {});  // completes at once
      static_cast<void>(told);
    }
    if (!channel.takes_sequence() || channel.lacks_memory()) return;
    if (!channel.take_sequence().ready()) return;
    channel.open_slots();
    coll::tell_failure(channel.slots(), coll::Operation::allreduce, false, why);
  } catch (const std::exception& error) {
    log::info("other ranks are not told that a collective access to a file has failed: {}", error.what());
  }
}

}  // namespace

Task access_jointly(coll::TeamChannel& channel, JointAccess& access) {
  auto turn = access.file.turns().turn(access.turn);
  co_await turn;
  bool finished = false;
  try {
    Execution execution(channel, access);
    Task running = execution.run();
    co_await running;
    finished = true;
  } catch (const Error& error) {
    access.failure = error;
  } catch (const std::bad_alloc&) {
    access.failure = Error(ErrorClass::no_mem, "no memory is left for a collective access to a file");
  }
  if (!finished) abandon(channel, *access.failure);
  access.file.turns().end();
}

}  // namespace bowline::mpiio
