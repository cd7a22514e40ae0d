// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_endpoint.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/process_id.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_memory.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

std::span<std::byte> writable(std::span<const std::byte> memory) noexcept {
  return {const_cast<std::byte*>(memory.data()), memory.size()};
}

}  // namespace

VerbsEndpoint::VerbsEndpoint(VerbsDevice& device, Connection& connection) noexcept
    : Endpoint(verbs_limits(device.adapter().max_inline(), device.adapter().has_atomics(),
                            connection.address().longest_message)),
      device_(device),
      connection_(connection) {}

// ---- memory for one transfer

std::vector<std::byte> VerbsEndpoint::register_memory(std::span<const std::byte> memory) {
  if (limits().get_from == transport::never && limits().put_from == transport::never) return {};
  Adapter::Region& region = device_.adapter().acquire(memory);
  if (limits().get_from != transport::never || Adapter::is_writable(region)) return write_key(region);
  device_.adapter().release(region);
  return {};
}

void VerbsEndpoint::deregister(std::span<const std::byte> key) noexcept {
  const auto own = read_key(key);
  if (own.has_value()) device_.adapter().release(*reinterpret_cast<Adapter::Region*>(own->region));
}

/// Throws Error if the key is damaged.
RemotePlace VerbsEndpoint::place_of(const transport::Remote& remote) const {
  const auto key = read_key(remote.key);
  if (key.has_value()) return {remote.address, key->remote_key};
  throw Error(ErrorClass::intern, fmt::format("the key to memory of {} on {} has arrived damaged: do all ranks "
                                              "run the same version of Bowline?",
                                              process_name(connection_.peer()), connection_.host()));
}

transport::Access VerbsEndpoint::get(const transport::Remote& source, std::span<std::byte> target,
                                     transport::Operation& operation) {
  if (source.key.empty()) return transport::Access::refused;
  return begin(MemoryTransfer::Purpose::get, target, place_of(source), operation);
}

transport::Access VerbsEndpoint::put(std::span<const std::byte> source, const transport::Remote& target,
                                     transport::Operation& operation) {
  const auto key = read_key(target.key);
  if (target.key.empty() || (key.has_value() && key->writable == 0)) return transport::Access::refused;
  return begin(MemoryTransfer::Purpose::put, writable(source), place_of(target), operation);
}

transport::Access VerbsEndpoint::begin(MemoryTransfer::Purpose kind, std::span<std::byte> local, RemotePlace remote,
                                       transport::Operation& operation) {
  if (connection_.link().is_over()) throw connection_.error();
  if (local.empty() && kind != MemoryTransfer::Purpose::flush) return transport::Access::done;
  Adapter& adapter = device_.adapter();
  Adapter::Region* region = nullptr;
  if (local.size() > device_.works().slot_bytes()) {
    try {
      region = &adapter.acquire(local);
      if (kind == MemoryTransfer::Purpose::get && !Adapter::is_writable(*region)) {
        adapter.release(*region);
        region = nullptr;
      }
    } catch (const Error&) {
      // The message goes through slots.
    }
  }
  try {
    MemoryTransfer& transfer = *device_.transfers().make(device_, connection_, kind, local, remote, region, operation);
    ++device_.notes().accesses;
    connection_.outbox().begin(transfer);
  } catch (...) {
    if (region != nullptr) adapter.release(*region);
    throw;
  }
  return transport::Access::begun;
}

transport::Access VerbsEndpoint::begin(const transport::RemoteAtomic& what, RemotePlace place, void* old,
                                       transport::Operation& operation) {
  if (connection_.link().is_over()) throw connection_.error();
  if (what.bytes != shortest_atomic) {
    throw Error(
        ErrorClass::unsupported_operation,
        fmt::format("RDMA adapters execute atomic operations on {} bytes, not on {}", shortest_atomic, what.bytes));
  }
  AtomicUpdate& update = *device_.updates().make(device_, connection_, what, place, old, operation);
  ++device_.notes().accesses;
  connection_.outbox().begin(update);
  return transport::Access::begun;
}

// ---- memory for many accesses

std::vector<std::byte> VerbsEndpoint::register_window(std::span<const std::byte> memory) {
  return write_key(device_.adapter().acquire(memory));
}

std::unique_ptr<transport::PeerMemory> VerbsEndpoint::open_memory(std::span<const std::byte> key) {
  return std::make_unique<VerbsMemory>(*this, place_of({.address = 0, .key = key}).key);
}

transport::Access VerbsEndpoint::flush(transport::Operation& operation) {
  if (connection_.link().is_over()) throw connection_.error();
  if (connection_.outbox().is_idle()) return transport::Access::done;
  return begin(MemoryTransfer::Purpose::flush, {}, {}, operation);
}

}  // namespace bowline::verbs
