// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_device.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "node/handover.hpp"
#include "verbs/connection/direct_pair.hpp"
#include "verbs/verbs_endpoint.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

constexpr unsigned most_works = 2048;  // requests under way, per lane
constexpr unsigned fewest_peers = 16;  // of a further group

// A peer that does not respond must not keep this process from ending.
constexpr std::chrono::seconds patience_with_bye{1};

// A link that carries parts of transfers is declared failed soon, because another link can carry them.
constexpr std::chrono::seconds patience_beside_another{3};

std::size_t buffer_bytes() {
  constexpr std::size_t line = 64;
  return (sizeof(WireHeader) + longest_message() + line - 1) / line * line;
}

bool has_messages(const Adapter& adapter) noexcept {
  return adapter.role() == Role::everything;
}

CompletionChannel make_channel(const Adapter& adapter) {
  CompletionChannel channel(library().create_comp_channel(adapter.device()));
  if (channel == nullptr || fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK) != 0)
    throw verbs_error("making a completion channel", adapter.name());
  return channel;
}

}  // namespace

VerbsDevice::VerbsDevice(Adapter& adapter, int rank, int ranks, std::string host)
    : adapter_(adapter),
      indices_(rank, ranks),
      host_(std::move(host)),
      cookie_(node::make_secret()),
      oob_(*this, cookie_),
      channel_(make_channel(adapter)),
      works_(adapter, buffer_bytes(), most_works),
      notes_(adapter.name()) {
  open_group(static_cast<unsigned>(ranks));
  oob_.watch(channel_->fd);
  oob_.watch(adapter.events().descriptor());
  oob_.watch(adapter.events().end_descriptor());
  own_address_ = {.version = transport::wire_version,
                  .host = host_,
                  .cookie = cookie_,
                  .ports = {adapter.port().address},
                  .places = oob_.listening().places({adapter.port().address}),
                  .only_managed = adapter.port().connecting == Connecting::managed,
                  .longest_message = static_cast<std::uint32_t>(longest_message()),
                  .manager = {}};
  if (!adapter.completion_proves_arrival()) probe_ = adapter.make_block(probe_bytes);
  if (adapter.port().connecting == Connecting::direct) return;
  manager_ = make_connection_manager(adapter, cookie_);
  oob_.watch(manager_->descriptor());
  own_address_.manager = manager_->place();
}

VerbsDevice::~VerbsDevice() {
  sink_ = nullptr;
  if (has_messages(adapter_)) say_bye();
}

transport::Address VerbsDevice::address() const {
  return write_address(own_address_);
}

bool VerbsDevice::reaches(std::span<const std::byte> address) const {
  return contact_between(own_address_, read_address(-1, address)) != Contact::none;
}

std::unique_ptr<transport::Endpoint> VerbsDevice::connect(int peer, const transport::Address& address) {
  DeviceAddress theirs = read_address(peer, address);
  const std::uint32_t version = theirs.version;
  auto places = places_to_try(theirs, host_);
  const std::uint64_t cookie = theirs.cookie;
  Connection& connection = connection_to(peer);
  connection.set_address(std::move(theirs));
  // The handshake tells a peer of another version, too.
  if (connection.link().state() == PeerLink::State::apart) oob_.contact(peer, std::move(places), cookie);
  if (version != transport::wire_version) throw transport::other_version(peer, version);
  return std::make_unique<VerbsEndpoint>(*this, connection);
}

Connection& VerbsDevice::connection_to(int peer) {
  if (const auto known = by_peer_.find(peer); known != by_peer_.end()) return *known->second;
  // Room for all is made now, so that noting a connection later needs no memory.
  notes_.reserve(connections_.size() + 1);
  connections_.push_back(std::make_unique<Connection>(*this, peer, static_cast<std::uint32_t>(connections_.size())));
  by_peer_.emplace(peer, connections_.back().get());
  if (adapter_ended_) connections_.back()->lose(adapter_.events().why());
  return *connections_.back();
}

ReceiveGroup& VerbsDevice::open_group(unsigned peers) {
  return *groups_.emplace_back(
      std::make_unique<ReceiveGroup>(adapter_, channel_.get(), buffer_bytes(), most_works, peers));
}

/// The first group has room for the job's processes, as far as the adapter's queues take them.
ReceiveGroup& VerbsDevice::group_with_room() {
  for (const auto& group : groups_) {
    if (group->has_room()) return *group;
  }
  const auto connected = static_cast<unsigned>(connections_.size());
  const auto processes = static_cast<unsigned>(indices_.processes());
  return open_group(processes > connected + fewest_peers ? processes - connected : fewest_peers);
}

std::unique_ptr<QueuePair> VerbsDevice::make_pair(Connection& connection) {
  ReceiveGroup& group = connection.group();
  if (contact_between(own_address_, connection.address()) == Contact::managed)
    return manager_->make_pair(connection, group.completions(), group.receives().queue());
  return std::make_unique<DirectPair>(adapter_, group.completions(), group.receives().queue());
}

std::chrono::seconds VerbsDevice::patience() const noexcept {
  const std::chrono::seconds usual(contact_patience.value());
  return has_messages(adapter_) ? usual : std::min(usual, patience_beside_another);
}

// ---- ending

bool VerbsDevice::drained() noexcept {
  bool all = true;
  for (const auto& connection : connections_) {
    if (connection->link().is_over() || connection->outbox().is_idle()) continue;
    all = false;
    connection->outbox().hasten();
  }
  return all;
}

/// Tells all peers that this process ends properly, and waits until they have received the bye. A peer that has said
/// bye itself need not hear it.
void VerbsDevice::say_bye() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + patience_with_bye;
  std::vector<Connection*> to_tell;
  const auto all_know = [&] {
    std::erase_if(to_tell, [](Connection* each) { return each->outbox().say_bye(); });
    return to_tell.empty() && drained();
  };
  try {
    for (const auto& connection : connections_) {
      if (connection->link().is_ready()) to_tell.push_back(connection.get());
    }
  } catch (const std::bad_alloc&) {
    return;  // peers notice the end when they send something
  }
  while (!all_know() && std::chrono::steady_clock::now() < deadline) {
    poll_completions();
    attend();
    std::erase_if(to_tell, [](const Connection* each) { return each->link().is_over(); });
  }
}

}  // namespace bowline::verbs
