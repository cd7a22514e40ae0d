// SPDX-License-Identifier: BSD-3-Clause
// Context: this process's use of UCX, shared by the devices of all lanes, and the memory that is registered with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/network.hpp"
#include "transport/registration_cache.hpp"
#include "ucx/library.hpp"

namespace bowline::ucx {

/// What UCX answered, for a sentence.
std::string text_of(ucs_status_t status);

/// Throws Error unless that is success; `what` was done, as "registering memory".
void check(ucs_status_t status, const char* what);

/// How long messages use the peer's memory. Where no adapter reads or writes it by itself, UCX does so by messages,
/// which takes longer than sending the data.
enum class RemoteMemory : std::uint8_t { none, get, put };

class Context final : private transport::Registrar {
 public:
  /// Loads and initializes UCX; `lanes`: how many workers there will be. UCX chooses its transports and devices among
  /// those that have this reach, and UCX_* variables tell it which. Throws Error.
  Context(unsigned lanes, transport::Reach reach);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ucp_context_h handle() const noexcept { return context_; }
  /// Whether this node has an adapter that processes use without the kernel.
  bool has_adapter() const noexcept { return has_adapter_; }
  RemoteMemory remote_memory() const noexcept { return remote_memory_; }

  /// Something of it could not be ended: it is left to the end of the process.
  void abandon() noexcept { abandoned_ = true; }

  /// A key by which a peer may access this memory; it names the registered region that deregister() gives up.
  std::vector<std::byte> register_memory(std::span<const std::byte> memory);
  void deregister(std::span<const std::byte> key) noexcept;
  /// The part of such a key that UCX knows, which believes all that it says; empty if it is not what was given away.
  static std::span<const std::byte> remote_key(std::span<const std::byte> key) noexcept;

 private:
  /// Memory that UCX has registered, and its key.
  struct Registered;

  void* add(std::span<const std::byte> memory) override;
  void remove(void* handle) noexcept override;
  RemoteMemory choose_remote_memory();
  static void memory_event(ucm_event_type_t type, ucm_event_t* event, void* cache) noexcept;

  const Library& ucx_;
  ucp_context_h context_ = nullptr;
  std::optional<transport::RegistrationCache> cache_;
  bool has_adapter_;
  bool watches_memory_ = false;
  RemoteMemory remote_memory_ = RemoteMemory::none;
  bool abandoned_ = false;
};

}  // namespace bowline::ucx
