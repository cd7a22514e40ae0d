// SPDX-License-Identifier: BSD-3-Clause
// Context: the UCX context of this process, which the devices of all lanes share, and the memory registered with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/network.hpp"
#include "transport/registration_cache.hpp"
#include "transport/watched_cache.hpp"
#include "ucx/library.hpp"

namespace bowline::ucx {

/// UCX's text for a status, for error messages.
std::string text_of(ucs_status_t status);

/// Throws Error (MPI_ERR_OTHER) unless `status` is UCS_OK. `what`: the action, for example "registering memory".
void check(ucs_status_t status, const char* what);

/// How long messages use the peer's memory. Where no adapter reads or writes that memory by itself, UCX emulates the
/// access by messages, which takes longer than sending the data.
enum class RemoteMemory : std::uint8_t { none, get, put };

class Context final : private transport::Registrar {
 public:
  /// Loads and initializes UCX for `lanes` workers. UCX chooses its transports and devices among those that serve
  /// `reach`; UCX_* variables restrict the choice. Throws Error.
  Context(unsigned lanes, transport::Reach reach);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ucp_context_h handle() const noexcept { return context_; }
  /// Whether this node has an adapter that processes use without the kernel.
  bool has_adapter() const noexcept { return has_adapter_; }
  RemoteMemory remote_memory() const noexcept { return remote_memory_; }
  /// Whether adapters access the memory of peers by themselves.
  bool adapter_accesses() const noexcept { return adapter_accesses_; }

  /// Leaves the UCX context to the end of the process, because a worker could not be destroyed.
  void abandon() noexcept { abandoned_ = true; }

  /// Registers `memory` and returns the key with which a peer may access it. The memory stays registered until
  /// deregister() is called with the key. Throws Error.
  std::vector<std::byte> register_memory(std::span<const std::byte> memory);
  void deregister(std::span<const std::byte> key) noexcept;
  /// UCX's part of a key; empty if the key is damaged. UCX itself does not check keys.
  static std::span<const std::byte> remote_key(std::span<const std::byte> key) noexcept;

 private:
  /// Memory registered with UCX, and UCX's part of its key.
  struct Registered;

  void* add(std::span<const std::byte> memory) override;
  void remove(void* handle) noexcept override;
  bool has_adapter_key();
  RemoteMemory choose_remote_memory() const;

  const Library& ucx_;
  ucp_context_h context_ = nullptr;
  std::optional<transport::WatchedCache> cache_;
  bool has_adapter_;
  bool adapter_accesses_ = false;
  RemoteMemory remote_memory_ = RemoteMemory::none;
  bool abandoned_ = false;
};

}  // namespace bowline::ucx
