// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/team_channel.hpp"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "dtype/predefined.hpp"
#include "proto/in_words.hpp"

namespace bowline::coll {

void TeamChannel::open_node_slots() {
  TeamSlots& shared = order_.division->node->slots();
  const unsigned spins = source_ == SequenceSource::of_one_thread ? shared.spins() : 0;
  node_slots_.emplace(shared.memory(), node_sequence_, id_, spins);
  next_node_slots_ = 0;
}

/// World ranks, perhaps several times.
std::vector<int> TeamChannel::awaited() const {
  std::vector<int> awaited = proto::awaited_in(team_.engine, team_.context, tag_);
  team_.engine.coroutines().for_each_watch([&](const proto::Watch& watch) {
    if (watches(watch)) awaited.push_back(watch.rank());
  });
  return awaited;
}

WaitTargets TeamChannel::targets() const {
  return WaitTargets::all_of(awaited());
}

std::string TeamChannel::in_words() const {
  const std::int32_t number = tag_ < Team::first_persistent ? tag_ % CallOrder::tags : tag_ - Team::first_persistent;
  return proto::collective_in_words(team_.engine, team_.context, number, awaited());
}

/// Whether the word lies in memory that this operation uses. Operations that go on at the same time use the same
/// memory.
bool TeamChannel::watches(const proto::Watch& watch) const {
  if (source_ == SequenceSource::none) return false;
  const TeamSlots* const team = (source_ == SequenceSource::of_its_own ? own_ : order_.slots).get();
  NodeMembers* const node = order_.division == nullptr ? nullptr : order_.division->node.get();
  return (team != nullptr && team->shares(watch)) || (node != nullptr && node->slots().shares(watch));
}

void TeamChannel::fail(const Error& why) {
  if (failure_ == nullptr) failure_ = why;
}

/// A transfer that cannot start fails like one that fails later.
template <class Begin>
std::optional<Completion*> TeamChannel::begun_or_failed(Begin begin) {
  try {
    return begin();
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail({ErrorClass::no_mem, "there is no memory left for a message of this collective operation"});
  }
  return {};
}

Completion* TeamChannel::begin_send(int to, std::span<const std::byte> data) {
  if (failure_ != nullptr) [[unlikely]]
    return tell_failure(to), nullptr;
  const std::optional<Completion*> begun = begun_or_failed([&]() -> Completion* {
    const transport::Header header = this->header();
    // A buffer serves both directions; a send only reads it.
    const proto::Buffer buffer{const_cast<std::byte*>(data.data()), data.size(), &dtype::byte_type()};
    proto::Request& request = team_.engine.isend(team_.ranks.process(to), header, buffer);
    return &request == &proto::completed_request() ? nullptr : &request;
  });
  if (!begun) [[unlikely]]
    tell_failure(to);
  return begun.value_or(nullptr);
}

Completion* TeamChannel::begin_receive(int from, std::span<std::byte> data) {
  if (failure_ != nullptr) [[unlikely]] {
    if (cut_off_) throw Error(*failure_);
    if (team_.engine.liveness().has_failed(team_.ranks.process(from))) return nullptr;
    data = data.first(0);  // received data are dropped
  }
  const std::optional<Completion*> begun = begun_or_failed([&]() -> Completion* {
    const proto::Match match{team_.context, from, tag_};
    const proto::Buffer buffer{data.data(), data.size(), &dtype::byte_type()};
    return team_.meets ? &team_.engine.ireceive_from(team_.ranks.process(from), match, buffer)
                       : &team_.engine.ireceive(match, buffer);
  });
  return begun.value_or(nullptr);
}

/// If the member cannot be reached, it waits for this one and cannot be told, so this one waits for no other. The
/// receiver fails with this member's error if that reports a lost process or another member's failure. Otherwise
/// the receiver fails because this member has not sent its part.
void TeamChannel::tell_failure(int to) {
  const int process = team_.ranks.process(to);
  if (team_.engine.liveness().has_failed(process)) return;
  if (!try_to_tell(process)) {
    cut_off_ = true;
    tell_all_failure();
    throw Error(*failure_);
  }
}

/// Returns whether the failure could be sent to the process.
bool TeamChannel::try_to_tell(int process) noexcept {
  const bool told = tells_loss(failure_->error_class()) || failure_->error_class() == ErrorClass::other;
  try {
    team_.engine.send_failure(
        process, header(),
        told
            ? *failure_
            : Error(ErrorClass::other, fmt::format("rank {} of the communicator could not go on, and has not given its "
                                                   "part of the data: {}",
                                                   team_.rank, failure_->what())));
  } catch (const std::exception& error) {  // there is no other way to inform that member
    log::info("{} is not told that a collective operation has failed: {}", process_name(process), error.what());
    return false;
  }
  return true;
}

void TeamChannel::tell_all_failure() noexcept {
  for (int member = 0; member < size(); ++member) {
    const int process = team_.ranks.process(member);
    if (member != rank() && !team_.engine.liveness().has_failed(process)) try_to_tell(process);
  }
}

void TeamChannel::end(Completion& completion) {
  auto& request = static_cast<proto::Request&>(completion);
  const Failure failure = std::move(request.failure);
  const bool received = request.role == proto::Request::Role::receive && request.status.source >= 0;
  const int source = request.status.source;
  const std::uint16_t mark = request.status.mark;
  const std::size_t given = request.status.bytes;
  const std::size_t expected = received ? static_cast<proto::ReceiveRequest&>(request).buffer.bytes() : given;
  team_.engine.release(request);
  if (received && mark != id_.mark()) [[unlikely]]
    refuse_call(source, mark);
  if (given < expected && failure == nullptr && failure_ == nullptr) [[unlikely]]
    refuse_length(source, given, expected);
  if (failure == nullptr || failure_ != nullptr) return;  // after the first failure no data are kept
  // Members that disagree about lengths may disagree about the number of messages, so this member waits for no more.
  if (failure->error_class() == ErrorClass::truncate) throw Error(*failure);
  fail(*failure);
}

/// Members that execute different calls disagree about the number of messages, so this member waits for no more, and
/// tells all others, some of which may wait for it.
void TeamChannel::refuse_call(int source, std::uint16_t their_mark) {
  if (id_.matches_mark(their_mark)) return;
  fail(different_calls(source, their_mark, id_));
  tell_all_failure();
  throw Error(*failure_);
}

void TeamChannel::refuse_length(int source, std::size_t given, std::size_t expected) {
  fail({ErrorClass::truncate,
        fmt::format("rank {} of the communicator gives {} bytes where this process expects {}: counts and types of one "
                    "collective call must describe the same amount of data in all ranks",
                    source, given, expected)});
  tell_all_failure();
  throw Error(*failure_);
}

std::byte* TeamChannel::take_scratch(std::size_t bytes) {
  if (slots_ != nullptr) return Channel::take_scratch(bytes);
  if (failure_ != nullptr) return nullptr;  // no algorithm writes to the memory after a failure
  try {
    return Channel::take_scratch(bytes);
  } catch (const std::bad_alloc&) {
    fail({ErrorClass::no_mem, fmt::format("there is no memory left for {} bytes that a collective operation needs "
                                          "besides its buffers",
                                          bytes)});
  } catch (const Error& error) {
    fail(error);
  }
  return nullptr;
}

void TeamChannel::abandon(Completion& completion) noexcept {
  auto& request = static_cast<proto::Request&>(completion);
  request.waiter = nullptr;
  team_.engine.cancel(request);
  team_.engine.release(request);
}

}  // namespace bowline::coll
