// SPDX-License-Identifier: BSD-3-Clause
#include "rma/node_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/log.hpp"

namespace bowline::rma {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t controls_begin = line_bytes;

/// The first bytes of the memory.
struct Header {
  std::uint64_t secret;
  Atomic<std::uint32_t> sleepers;
};
static_assert(sizeof(Header) <= controls_begin);

constexpr std::size_t up_to(std::size_t bytes, std::size_t unit) noexcept {
  return (bytes + unit - 1) / unit * unit;
}

MemoryLevel window_bytes(Category::one_sided, "window_memory", "window_memory_peak",
                         "bytes of memory that is mapped for windows and shared with other ranks of the node");

/// The memory that is kept of freed windows. The pool is never destroyed, because windows may be freed while the
/// process ends.
node::SharedMemoryPool& window_memory() {
  static auto& pool = *new node::SharedMemoryPool("bowline-window", window_bytes,
                                                  {.most = 8, .unit = 256 * 1024, .longest = 256 * 1024});
  return pool;
}

}  // namespace

void NodeMemory::FreeMemory::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

NodeMemory::NodeMemory(proto::Engine& engine, std::vector<int> ranks, std::vector<int> processes, int mine)
    : engine_(engine), ranks_(std::move(ranks)), processes_(std::move(processes)), mine_(mine) {}

int NodeMemory::member_of(int rank) const noexcept {
  const auto found = std::ranges::lower_bound(ranks_, rank);
  return found != ranks_.end() && *found == rank ? static_cast<int>(found - ranks_.begin()) : -1;
}

// ---- making it

std::size_t NodeMemory::regions_begin() const noexcept {
  return controls_begin + ranks_.size() * sizeof(ControlLines);
}

std::size_t NodeMemory::data_begin() const noexcept {
  const std::size_t end = regions_begin() + (layout_.regions ? ranks_.size() * RegionTable::bytes : 0);
  return up_to(end, layout_.shared ? std::max(page_bytes, layout_.alignment) : line_bytes);
}

void NodeMemory::lay_out(const DataLayout& layout, std::span<const MemberFacts> facts) {
  layout_ = layout;
  offsets_.clear();
  std::uint64_t end = 0;
  for (const MemberFacts& each : facts) {
    if (!layout.contiguous) {
      // Large parts have pages of their own, which come from the memory of their owners' processors.
      const std::size_t unit = each.size < page_bytes ? layout.alignment : std::max(page_bytes, layout.alignment);
      end = up_to(end, unit);
    }
    offsets_.push_back(end);
    end += each.size;
  }
  descriptions_begin_ = up_to(data_begin() + (layout.shared ? end : 0), page_bytes);
  bytes_ = layout.descriptions == 0 ? data_begin() + (layout.shared ? end : 0)
                                    : descriptions_begin_ + layout.descriptions * sizeof(KeptDescription);
}

node::SharedMemoryPool::Requirements NodeMemory::requirements() const noexcept {
  return {.bytes = bytes_,
          .reserved = data_begin(),
          .alignment = layout_.alignment,
          .others_zero = layout_.descriptions > 0};
}

node::MemoryOffer NodeMemory::make() {
  memory_ = window_memory().make(requirements());
  place(memory_.mapping().data());
  return memory_.offer();
}

void NodeMemory::open(const node::MemoryOffer& offer) {
  memory_ = window_memory().open(offer, requirements());
  place(memory_.mapping().data());
}

void NodeMemory::keep(node::SharedMemory memory) noexcept {
  window_memory().keep(std::move(memory));
}

void NodeMemory::make_private(DataLayout layout, const MemberFacts& facts) {
  layout.descriptions = 0;  // the targets themselves keep the descriptions
  memory_ = {};
  ranks_ = {rank(mine_)};
  processes_ = {processes_[static_cast<std::size_t>(mine_)]};
  mine_ = 0;
  lay_out(layout, {&facts, 1});
  const std::size_t alignment = layout_.shared ? std::max(page_bytes, layout_.alignment) : line_bytes;
  private_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, up_to(bytes_, alignment))));
  if (private_ == nullptr) {
    throw Error(ErrorClass::no_mem,
                fmt::format("{} bytes for the window's memory could not be allocated on this process", bytes_));
  }
  std::fill_n(private_.get(), data_begin(), std::byte{0});
  place(private_.get());
}

void NodeMemory::place(std::byte* memory) noexcept {
  sleepers_ = &reinterpret_cast<Header*>(memory)->sleepers;
  controls_ = reinterpret_cast<ControlLines*>(memory + controls_begin);
  regions_ = layout_.regions ? memory + regions_begin() : nullptr;
  data_ = layout_.shared ? memory + data_begin() : nullptr;
  descriptions_ = layout_.descriptions > 0 && shared() ? memory + descriptions_begin_ : nullptr;
}

void NodeMemory::enter(MemberFacts facts) {
  if (data_ != nullptr) {
    facts.offset = offsets_[static_cast<std::size_t>(mine_)];
    facts.address = reinterpret_cast<std::uint64_t>(data(mine_));
    if (facts.size > 0 && shared()) memory_.mapping().reserve({data(mine_), facts.size});
  }
  own().facts = facts;
}

// ---- using it

std::byte* NodeMemory::data(int member) const noexcept {
  return data_ == nullptr ? nullptr : data_ + offsets_[static_cast<std::size_t>(member)];
}

RegionTable NodeMemory::regions(int member) const noexcept {
  return RegionTable(
      reinterpret_cast<RegionTable::Shown*>(regions_ + static_cast<std::size_t>(member) * RegionTable::bytes));
}

/// The place of a description, whose pages are reserved.
KeptDescription* NodeMemory::description(int rank) const {
  if (descriptions_ == nullptr) return nullptr;
  auto* const place = reinterpret_cast<KeptDescription*>(descriptions_) + rank;
  memory_.mapping().reserve({reinterpret_cast<std::byte*>(place), sizeof *place});
  return place;
}

bool NodeMemory::find_description(int rank, const UseDescription& use) const {
  const KeptDescription* const place = description(rank);
  Description facts;
  KeptDescription::Key key;
  const std::optional<std::size_t> key_bytes = place == nullptr ? std::nullopt : place->find(facts, key);
  if (!key_bytes.has_value()) return false;
  use(facts, std::span(key).first(*key_bytes));
  return true;
}

void NodeMemory::keep_description(int rank, const Description& facts, std::span<const std::byte> key) noexcept {
  try {
    KeptDescription* const place = member_of(rank) >= 0 ? nullptr : description(rank);
    if (place != nullptr) place->keep(facts, key);
  } catch (const std::exception& error) {  // the other processes ask the member themselves
    log::info("the description of a window's memory is not kept: {}", error.what());
  }
}

proto::SleepNotice NodeMemory::notice() const noexcept {
  if (!shared()) return {};
  return {&own().asleep, sleepers_};
}

void NodeMemory::await(const Atomic<std::uint64_t>& word, std::uint64_t value, proto::Awaiting awaiting) {
  constexpr unsigned most_looks = 256;
  const unsigned looks = engine_.loop().policy().shared_cores ? 1 : std::min(engine_.loop().policy().spins, most_looks);
  for (unsigned i = 0; i < looks; ++i) {
    if (proto::Watch::reached(word, value)) return;
    cpu_relax();
  }
  proto::Watch watch(word, value, notice());
  watch.waiter = std::noop_coroutine();
  watch.sharers = this;
  watch.member = anyone;
  engine_.watch(watch);
  engine_.wait_until([&] { return watch.reached() || watch.failure != nullptr; }, awaiting);
  if (!watch.reached()) throw Error(*watch.failure);
}

void NodeMemory::wake_sleepers() noexcept {
  for (int member = 0; member < members(); ++member) {
    if (member == mine_ || !proto::SleepNotice::is_up(control(member).asleep)) continue;
    try {
      engine_.peer(processes_[static_cast<std::size_t>(member)]).endpoint->wake();
    } catch (const std::exception& error) {  // the sleeper wakes by itself soon
      log::info("rank {} of a window cannot be woken: {}", rank(member), error.what());
    }
  }
}

int NodeMemory::process(int member) const noexcept {
  const int known = member == anyone ? ended_ : member;
  return known < 0 ? -1 : processes_[static_cast<std::size_t>(known)];
}

/// Called when others have waited for long, which is rare; so a descriptor is opened only then.
bool NodeMemory::ended(int member) noexcept {
  if (member == anyone) {
    for (int each = 0; each < members() && ended_ < 0; ++each) {
      if (each != mine_ && ended(each)) ended_ = each;
    }
    return ended_ >= 0;
  }
  try {
    watched_.resize(static_cast<std::size_t>(members()));
  } catch (const std::bad_alloc&) {
    return false;  // the caller asks again
  }
  std::optional<node::PeerProcess>& process = watched_[static_cast<std::size_t>(member)];
  const pid_t number = control(member).facts.process.process;
  if (number == 0 || member == mine_) return false;  // the process is in another pid namespace
  if (!process.has_value()) process.emplace(number);
  return !process->alive();
}

}  // namespace bowline::rma
