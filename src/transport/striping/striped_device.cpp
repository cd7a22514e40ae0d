// SPDX-License-Identifier: BSD-3-Clause
#include "transport/striping/striped_device.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "transport/published.hpp"
#include "transport/striping/striped_endpoint.hpp"

namespace bowline::transport {
namespace {

/// Without transfers of this process only handshakes of peers arrive on a further rail, and they can wait a little.
constexpr unsigned polls_between_looks = 32;

/// Becomes readable when one of the rails' descriptors does.
int watch(std::span<const std::unique_ptr<Device>> rails) {
  const int events = epoll_create1(EPOLL_CLOEXEC);
  bool watched = events >= 0;
  for (const auto& rail : rails) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = rail->descriptor()}};
    watched = watched && epoll_ctl(events, EPOLL_CTL_ADD, event.data.fd, &event) == 0;
  }
  if (watched) return events;
  const int number = errno;
  if (events >= 0) close(events);
  throw Error(ErrorClass::other,
              fmt::format("epoll of the events of several adapters failed: {}", std::strerror(number)));
}

}  // namespace

StripedDevice::StripedDevice(std::vector<std::unique_ptr<Device>> rails, const StripingLimits& limits)
    : state_(limits), rails_(std::move(rails)), first_(*rails_.front()), events_(watch(rails_)) {}

StripedDevice::~StripedDevice() {
  close(events_);
}

Address StripedDevice::address() const {
  Address all;
  for (const auto& rail : rails_) {
    const Address one = rail->address();
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

std::unique_ptr<Endpoint> StripedDevice::connect(int peer, const Address& address) {
  if (const auto known = peers_.find(peer); known != peers_.end())
    return std::make_unique<StripedEndpoint>(state_, *known->second);
  const auto first = first_published(address);
  auto made = std::make_unique<StripedPeer>(peer);
  const bool joined = add_further(*made, std::span(address).subspan(first.size()));
  std::unique_ptr<Endpoint> endpoint = first_.connect(peer, {first.begin(), first.end()});
  if (!joined) return endpoint;
  made->set_first(std::move(endpoint));
  const auto place = peers_.emplace(peer, std::move(made)).first;
  return std::make_unique<StripedEndpoint>(state_, *place->second);
}

/// Pairs the further rails with the peer's further rails. False if no further rail joins both processes. Throws Error
/// if an address is damaged.
bool StripedDevice::add_further(StripedPeer& peer, std::span<const std::byte> addresses) const {
  bool joined = false;
  for (std::size_t rail = 1; rail < rails_.size() && !addresses.empty(); ++rail) {
    const auto theirs = first_published(addresses);
    addresses = addresses.subspan(theirs.size());
    const bool reached = rails_[rail]->reaches(theirs);
    peer.add(reached ? rails_[rail].get() : nullptr, {theirs.begin(), theirs.end()});
    joined |= reached;
  }
  return joined;
}

unsigned StripedDevice::poll(Sink& sink) noexcept {
  unsigned happened = first_.poll(sink);
  const bool all = ++polls_ >= polls_between_looks || attentive_;
  if (!all && state_.under_way_on_further == 0) [[likely]]
    return happened;
  if (all) polls_ = 0;
  attentive_ = false;
  for (std::size_t rail = 1; rail < rails_.size(); ++rail) {
    if (all || state_.under_way[rail] > 0) happened += rails_[rail]->poll(silence_);
  }
  return happened;
}

void StripedDevice::grow_to(int processes) {
  for (const auto& rail : rails_) rail->grow_to(processes);
}

void StripedDevice::known_as(int peer, int self) noexcept {
  for (const auto& rail : rails_) rail->known_as(peer, self);
}

bool StripedDevice::ready() noexcept {
  if (first_.ready()) return true;
  for (std::size_t rail = 1; rail < rails_.size(); ++rail) attentive_ |= rails_[rail]->ready();
  return attentive_;
}

/// Messages go over the first rail only, accesses over all.
std::optional<Traffic> StripedDevice::traffic() noexcept {
  std::optional<Traffic> sum = first_.traffic();
  for (const auto& rail : rails_) {
    const std::optional<Traffic> traffic = rail->traffic();
    if (sum && traffic) sum->accesses = sum->accesses || traffic->accesses;
  }
  return sum;
}

bool StripedDevice::drained() noexcept {
  bool all = true;
  for (const auto& rail : rails_) all &= rail->drained();
  attentive_ |= !all;
  return all;
}

void StripedDevice::Silence::arrived(int peer, Header, std::span<const std::byte>, std::span<const std::byte>) {
  log::error("a message of {} has come over an adapter that only carries long messages, and is dropped",
             process_name(peer));
}

void StripedDevice::Silence::broken(int peer, const Failure& why) noexcept {
  log::info("a further adapter receives nothing from {} any more: {}", process_name(peer), why->what());
}

}  // namespace bowline::transport
