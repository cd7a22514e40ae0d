// SPDX-License-Identifier: BSD-3-Clause
#include "coll/slots/team_slots.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "coll/channel/agreement.hpp"
#include "coll/slots/single_copy.hpp"
#include "node/cache.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::coll {
namespace {

Tunable<std::size_t> process_limit(
    Category::collectives, "coll_slots_limit", 512 << 20, 0, std::size_t{1} << 40,
    "most bytes of shared memory that a process makes for the collectives of all its communicators; the less is left, "
    "the shorter slots get; 0: collectives use messages");

constexpr std::size_t most_of_communicator = 8 << 20;

// Long data go through in pieces of half a slot. A round costs the transfer of a flag between cores, or a context
// switch if ranks share cores, so long slots save rounds. Longer slots than this gain little, and the data in flight
// should stay in the caches.
constexpr std::size_t longest_slot = 256 << 10;
constexpr unsigned most_spins = 256;

// One communicator takes at most this fraction of the remaining memory, so that many communicators get slots.
constexpr std::size_t part_of_rest = 64;

/// Bytes that this process has made and not released.
Atomic<std::size_t> made_bytes{0};

std::size_t bytes_left() noexcept {
  const std::size_t made = made_bytes.load(std::memory_order_relaxed);
  return process_limit.value() - std::min(process_limit.value(), made);
}

/// The length of one slot, from the memory that one communicator may have.
std::size_t slot_bytes_for(int members, std::size_t useful) noexcept {
  const std::size_t all = std::min(most_of_communicator, bytes_left() / part_of_rest);
  const std::size_t share = all / (SlotMemory::slot_sets * static_cast<std::size_t>(members));
  constexpr std::size_t page = SlotMemory::page_bytes;
  const std::size_t most = std::min({share, longest_slot, std::min(useful, longest_slot) + page - 1});
  const std::size_t least =
      static_cast<std::size_t>(members) * sizeof(MemberBuffer);  // a table with an entry for each member
  return std::max(most / page * page, (least + page - 1) / page * page);
}

MemoryLevel slot_memory_level(
    Category::collectives, "slot_memory", "slot_memory_peak",
    "bytes of memory that is mapped for collectives and shared with other ranks of the node; slots "
    "that nobody has used have no pages");

/// The memory that is kept of teams that have ended. The pool is never destroyed, because teams may end while the
/// process does. It keeps few segments, because they keep the pages that their slots have got.
node::SharedMemoryPool& slots_memory() {
  static auto& pool = *new node::SharedMemoryPool(
      "bowline-slots", slot_memory_level,
      {.most = 4, .unit = SlotMemory::page_bytes, .longest = 2 * most_of_communicator}, SlotMemory::is_free);
  return pool;
}

/// Whether this process allows others to read its memory, if the system allows it.
bool dumpable() noexcept {
  return prctl(PR_GET_DUMPABLE) == 1;
}

}  // namespace

/// What a member can do with the memory.
enum class TeamSlots::Ability : std::int32_t { none, share, single_copy, progress_asynchronously };

/// The answer of a member about itself.
struct TeamSlots::Answer {
  Ability ability = Ability::none;
  std::int32_t cache = -1;  ///< node::last_level_cache(), unless one group holds all members anyway
};

/// The message of member 0 to the others.
struct TeamSlots::Offer {
  node::MemoryOffer memory;
  std::uint64_t slot_bytes = 0;
  node::ProcessMark process;
  std::uint64_t pid_namespace = 0;
};

TeamSlots::Ability TeamSlots::ability(const Offer& offer) {
  // A system call filter may forbid access to other processes' memory to a single process, Yama to all processes. In
  // one pid namespace the process ids that members exchange are valid in all processes.
  const bool single_copy = node::allows_single_copy() && dumpable() && offer.pid_namespace == node::pid_namespace() &&
                           node::reaches(offer.process);
  if (!single_copy) return Ability::share;
  return proto::ProgressThread::runs() ? Ability::progress_asynchronously : Ability::single_copy;
}

TeamSlots::~TeamSlots() {
  if (rank_ == 0) made_bytes.fetch_sub(shared_.mapping().size(), std::memory_order_relaxed);
  if (ready() && memory_->has_completed(next_sequence_)) slots_memory().keep(std::move(shared_));
}

void TeamSlots::wake(int member) noexcept {
  try {
    engine_.peer(ranks_.process(member)).endpoint->wake();
  } catch (const std::exception& error) {  // the sleeper wakes by itself soon
    log::info("rank {} cannot be woken: {}", ranks_.process(member), error.what());
  }
}

/// Called for a member for which others have waited for long, which is rare; so a descriptor is opened only then.
bool TeamSlots::ended(int member) noexcept {
  try {
    watched_.resize(static_cast<std::size_t>(size_));
  } catch (const std::bad_alloc&) {
    return false;  // the caller asks again
  }
  std::optional<node::PeerProcess>& process = watched_[static_cast<std::size_t>(member)];
  const pid_t number = memory_->process(member).process;
  // The process is in another pid namespace, or it has ended before it came here.
  if (number == 0) return engine_.liveness().is_lost(ranks_.process(member));
  if (!process.has_value()) process.emplace(number);
  return !process->alive();
}

/// A member publishes all flags of an operation before it completes the operation, unless it executes another call.
Failure TeamSlots::overtaken(const proto::Watch& watch) noexcept {
  if (!ready() || !memory_->completed_without(watch.member, *watch.word, watch.value)) return nullptr;
  return Failure::of([&] { return other_call_completed(watch.member); });
}

node::SharedMemoryPool::Requirements TeamSlots::requirements(std::size_t slot_bytes) const noexcept {
  const std::size_t bytes = SlotMemory::bytes_for(size_, slot_bytes);
  const std::size_t before_slots = SlotMemory::bytes_before_slots(size_);
  return {.bytes = bytes, .reserved = before_slots, .besides = bytes - before_slots};
}

void TeamSlots::use(std::size_t slot_bytes) {
  const node::Mapping& mapping = shared_.mapping();
  memory_.emplace(std::span(mapping.data(), mapping.size()), rank_, size_, slot_bytes, static_cast<SlotHost&>(*this));
  memory_->tell_process();
  const WaitPolicy& policy = engine_.loop().policy();
  spins_ = policy.shared_cores ? 0 : std::min(policy.spins, most_spins);
}

TeamSlots::Offer TeamSlots::make() {
  const std::size_t slot_bytes = slot_bytes_for(size_, useful_);
  if (SlotMemory::bytes_for(size_, slot_bytes) > bytes_left())
    throw Error(ErrorClass::no_mem, "the tunable coll_slots_limit allows no more of it");
  shared_ = slots_memory().make(requirements(slot_bytes));
  made_bytes.fetch_add(shared_.mapping().size(), std::memory_order_relaxed);
  use(slot_bytes);
  return {shared_.offer(), slot_bytes, node::own_mark(), node::pid_namespace()};
}

void TeamSlots::open(const Offer& offer) {
  shared_ = slots_memory().open(offer.memory, requirements(offer.slot_bytes));
  use(offer.slot_bytes);
}

void TeamSlots::do_without_memory(const std::string& reason) {
  if (!reason.empty())
    log::info("collectives of {} ranks go by messages, not through shared memory: {}", size_, reason);
  memory_.reset();
  if (rank_ == 0) made_bytes.fetch_sub(shared_.mapping().size(), std::memory_order_relaxed);
  shared_ = {};
}

// Other members wait for this member while it settles, so a lack of memory must not keep it from giving its answer.
Task TeamSlots::settle(Channel& channel) {
  const struct Mark {  // also after an error
    ~Mark() { settled.store(1, std::memory_order_release); }
    Atomic<std::uint64_t>& settled;
  } mark{settled_};
  const auto members = static_cast<std::size_t>(size_);
  const bool divided = members > MemberGroups::most_members;
  std::array<Answer, MemberGroups::most_members> few{};
  const Scratch many(channel, divided ? members * sizeof(Answer) : 0);
  const std::span<Answer> answers(divided ? reinterpret_cast<Answer*>(many.data()) : few.data(), members);
  std::vector<int> caches;  // allocated before the members agree
  Offer offer;
  Failure refusal;
  try {
    if (divided) caches.resize(members);
    if (process_limit.value() == 0) throw Error(ErrorClass::other, "the tunable coll_slots_limit is 0");
    if (rank_ == 0) offer = make();
  } catch (const std::exception&) {
    refusal = Failure::current();
  }
  const Arguments spread{.result = std::as_writable_bytes(std::span(&offer, 1))};
  Task told = bcast_binomial(channel, spread);
  co_await told;
  try {
    if (rank_ != 0 && !channel.failed() && offer.memory.bytes != 0 && refusal == nullptr) open(offer);
  } catch (const std::exception&) {
    refusal = Failure::current();
  }
  const Blocks all(reinterpret_cast<std::byte*>(answers.data()), sizeof(Answer));
  if (!channel.failed()) {
    const bool able = memory_.has_value() && refusal == nullptr;
    answers[static_cast<std::size_t>(rank_)] =
        able ? Answer{ability(offer), divided ? node::last_level_cache() : -1} : Answer{};
  }
  const Arguments collect{.input = all[rank_], .receive = all};
  Task heard = allgather_bruck(channel, collect);
  co_await heard;
  shared_.all_have_it();
  channel.check();
  std::string reason;
  try {
    if (refusal != nullptr) reason = refusal->what();
  } catch (const std::bad_alloc&) {
    // The reason goes unsaid.
  }
  if (!caches.empty()) std::ranges::transform(answers, caches.begin(), &Answer::cache);
  use_answers(answers, caches, reason);
}

/// `caches`: the members' caches; empty if the members form one group.
void TeamSlots::use_answers(std::span<const Answer> answers, std::span<const int> caches, const std::string& refusal) {
  const auto all_can = [&](Ability ability) {
    return std::ranges::all_of(answers, [ability](const Answer& answer) { return answer.ability >= ability; });
  };
  if (!all_can(Ability::share)) return do_without_memory(refusal);
  memory_->set_readable(all_can(Ability::single_copy));
  memory_->set_async_progress(all_can(Ability::progress_asynchronously));
  if (!caches.empty()) memory_->divide(caches);
}

}  // namespace bowline::coll
