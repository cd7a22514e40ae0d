// SPDX-License-Identifier: BSD-3-Clause
// Windows: their objects, memory and the loss of members.
#include "rma/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <new>

#include "base/error.hpp"
#include "rma/messages/origins.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/window_pool.hpp"

namespace bowline::rma {

WindowPool& WindowPool::the() {
  static WindowPool& pool = *new WindowPool;  // never destroyed: handles may be used while the process ends
  return pool;
}

Window& WindowPool::make(comm::Communicator& comm, const WindowParameters& parameters) {
  const std::lock_guard hold(mutex_);
  return *pool_.make(Maker{}, comm, parameters);
}

void WindowPool::destroy(Window& window) noexcept {
  const std::lock_guard hold(mutex_);
  pool_.destroy(static_cast<Made*>(&window));
}

Window::Window(comm::Communicator& comm, const WindowParameters& parameters)
    : comm_(comm),
      engine_(comm.engine()),
      service_(WindowService::of(comm.engine())),
      flavor_(parameters.flavor),
      hints_(parameters.hints),
      base_(parameters.base),
      bytes_(static_cast<std::int64_t>(parameters.size)),
      unit_(parameters.unit),
      shown_unit_(static_cast<int>(parameters.unit)),
      origins_(std::make_unique<Origins>(*this)) {}

Window::~Window() {
  mark_.store(0, std::memory_order_relaxed);
  for (const auto& [key, endpoint] : keys_) endpoint->deregister(key);
}

std::string Window::in_words() const {
  const std::string label = name();
  return label.empty() ? fmt::format("a window of {} ranks without a name", size())
                       : fmt::format("the window {}", label);
}

// ---- memory

Window::Shared Window::shared_memory(int rank) const noexcept {
  const int member = flavor_ == Flavor::dynamic || rank == no_member ? -1 : node_->member_of(rank);
  if (member < 0) return {};
  const MemberFacts& facts = node_->control(member).facts;
  if (!node_->layout().has_address(facts.size)) return {nullptr, 0, facts.unit};
  // In other cases memory without bytes has an address, too, if the window's memory is shared.
  std::byte* const at = member == node_->mine() ? static_cast<std::byte*>(base_) : node_->data(member);
  return {at, at == nullptr ? 0 : static_cast<std::int64_t>(facts.size), facts.unit};
}

/// A lock is needed only if others accumulate to the same memory.
Exclusion Window::exclusion(ControlLines* control) const noexcept {
  const bool others = node_->shared() && node_->members() > 1;
  return {.instructions = processor_accumulates_,
          .lock = others ? &control->accumulating : nullptr,
          .mine = node_->mine(),
          .holders = node_.get()};
}

std::byte* Window::locate(const TargetData& place) const {
  if (flavor_ == Flavor::dynamic) {
    check_attached(place, rank());
    return reinterpret_cast<std::byte*>(place.displacement);
  }
  std::int64_t offset = 0;
  if (!lies_within(place, unit_, static_cast<std::uint64_t>(bytes_), offset))
    refuse_range(place, unit_, static_cast<std::uint64_t>(bytes_), rank(), in_words());
  return static_cast<std::byte*>(base_) + offset;
}

// ---- memory that the network reaches

void Window::open_remote(Target& target) {
  if (!target.described) {
    if (target.rank == rank()) {
      const Described own = describe_to(target.process);
      described(target, own.facts, own.key);
    } else if (!node_->find_description(target.rank, [&](const Description& facts, std::span<const std::byte> key) {
                 described(target, facts, key);
               })) {
      messages_.ask_for_description(target);
      const proto::Awaiting awaiting{
          [](proto::Engine&, const void* what) -> proto::WaitDescription {
            return {"for the address of memory of " + static_cast<const Window*>(what)->in_words(),
                    WaitTargets::some_rank()};
          },
          this};
      engine_.wait_until([&] { return target.described || target.lost != nullptr; }, awaiting);
      if (!target.described) throw Error(*target.lost);
    }
  }
  target.closed = target.remote == nullptr;
}

void Window::described(Target& target, const Description& description, std::span<const std::byte> key) {
  if (std::exchange(target.described, true)) return;
  node_->keep_description(target.rank, description, key);
  if (target.control == nullptr) {
    target.size = description.size;
    target.unit = description.unit;
    target.address = description.address;
    target.known = true;
  }
  if (!key.empty()) target.remote = service_.network_endpoint(target.process).open_memory(key);
}

Window::Described Window::describe_to(int process) {
  Described own{.facts = {.size = static_cast<std::uint64_t>(bytes_),
                          .unit = unit_,
                          .address = reinterpret_cast<std::uint64_t>(base_)},
                .key = {}};
  transport::Endpoint& endpoint = service_.network_endpoint(process);
  if (bytes_ == 0 || endpoint.limits().access == transport::RemoteAccess::none) return own;
  own.key = endpoint.register_window({static_cast<const std::byte*>(base_), static_cast<std::size_t>(bytes_)});
  const bool known = std::ranges::any_of(keys_, [&](const auto& each) { return each.first == own.key; });
  if (known) {
    endpoint.deregister(own.key);  // one registration of the memory is enough
  } else {
    keys_.emplace_back(own.key, &endpoint);
  }
  return own;
}

void Window::await_accesses(Target& target) {
  const proto::Awaiting awaiting{
      [](proto::Engine&, const void* what) -> proto::WaitDescription {
        return {"for accesses to memory of " + static_cast<const Window*>(what)->in_words(), WaitTargets::some_rank()};
      },
      this};
  engine_.wait_until([&] { return target.accesses == 0 || target.lost != nullptr; }, awaiting);
  if (target.accesses != 0) throw Error(*target.lost);
}

// ---- dynamic windows

void Window::attach(void* base, std::uint64_t size) {
  if (flavor_ != Flavor::dynamic) {
    throw Error(ErrorClass::rma_flavor,
                fmt::format("{} has memory of its own: memory is attached to windows of MPI_Win_create_dynamic only",
                            in_words()));
  }
  const auto address = reinterpret_cast<std::uint64_t>(base);
  if (base == nullptr && size > 0)
    throw Error(ErrorClass::base, "base is a null pointer, but the size is not zero: give the address of the memory");
  regions_.attach(address, size, in_words());
  node_->regions(node_->mine()).show(regions_.joined());
}

void Window::detach(const void* base) {
  if (flavor_ != Flavor::dynamic) {
    throw Error(ErrorClass::rma_flavor,
                fmt::format("{} has memory of its own: nothing was attached to it", in_words()));
  }
  if (!regions_.detach(reinterpret_cast<std::uint64_t>(base))) {
    throw Error(ErrorClass::base, fmt::format("base is {}, but no memory that begins there is attached to {}",
                                              fmt::ptr(base), in_words()));
  }
  node_->regions(node_->mine()).show(regions_.joined());
}

void Window::check_attached(const TargetData& place, int rank) const {
  if (!regions_.hold(place)) refuse_unattached(place, rank, in_words());
}

// ---- lost members

void Window::lost(int process, const Failure& why) noexcept {
  targets_.for_each([&](Target& each) {
    if (each.process == process && each.lost == nullptr) each.lost = why;
  });
  const int rank = comm_.group().rank_of(process);
  if (rank == comm::Group::no_rank) return;
  if (std::ranges::find(exposed_to_, rank) != exposed_to_.end() && exposure_failure_ == nullptr)
    exposure_failure_ = why;
  if (std::ranges::find(awaited_posts_, rank) != awaited_posts_.end()) {
    if (Target* const target = targets_.find(rank)) target->lost = why;
  }
  origins_->lost(rank);
}

bool Window::awaits(int process) const noexcept {
  bool found = false;
  targets_.for_each([&](const Target& each) {
    found =
        found || (each.process == process && (each.flushes_sent != each.flushes_answered || each.answers_awaited > 0 ||
                                              each.parts_in_flight > 0 || each.locks_asked != each.locks_granted));
  });
  return found;
}

}  // namespace bowline::rma
