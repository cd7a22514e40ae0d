// SPDX-License-Identifier: BSD-3-Clause
// Adapter: an opened RDMA adapter with the chosen port, which the devices of all lanes share, and the memory that is
// registered with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/registration_cache.hpp"
#include "transport/watched_cache.hpp"
#include "verbs/adapter_events.hpp"
#include "verbs/verbs_handles.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

/// Memory of the library that is registered for its whole life.
class RegisteredBlock {
 public:
  RegisteredBlock(std::unique_ptr<std::byte[], void (*)(std::byte*)> memory, MemoryRegion region) noexcept
      : memory_(std::move(memory)), region_(std::move(region)) {}
  std::byte* memory() const noexcept { return memory_.get(); }
  std::uint32_t local_key() const noexcept { return region_->lkey; }
  std::uint32_t remote_key() const noexcept { return region_->rkey; }

 private:
  std::unique_ptr<std::byte[], void (*)(std::byte*)> memory_;
  MemoryRegion region_;  ///< goes first
};

/// What a process uses an adapter for.
enum class Role : std::uint8_t {
  everything,
  transfers,  ///< only parts of long transfers, beside another adapter (transport/striping)
};

class Adapter final : private transport::Registrar {
 public:
  using Region = transport::RegistrationCache::Region;

  /// Opens the adapter. `adapters`: how many the process uses, which share the memory that it may lock. Throws Error.
  explicit Adapter(const Port& port, Role role = Role::everything, std::size_t adapters = 1);
  ~Adapter();
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  const std::string& name() const noexcept { return port_.device; }
  const Port& port() const noexcept { return port_; }
  Role role() const noexcept { return role_; }
  AdapterEvents& events() noexcept { return events_; }
  ibv_context* device() const noexcept { return device_.get(); }
  ibv_pd* domain() const noexcept { return domain_.get(); }
  const ibv_device_attr& facts() const noexcept { return facts_; }
  /// Most bytes inside a work request; see make_queue_pair().
  std::uint32_t max_inline() const noexcept { return max_inline_; }
  bool has_atomics() const noexcept { return facts_.atomic_cap != IBV_ATOMIC_NONE; }
  /// Whether a request that has completed has also arrived. If not (iWARP), the completion of an RDMA read proves that
  /// all requests before the read have arrived.
  bool completion_proves_arrival() const noexcept { return port_.address.fabric != Fabric::iwarp; }
  /// Whether the adapter can access memory whose pages are not locked, in every way in which registered memory is used:
  /// the adapter then asks the system for each page that it needs (on-demand paging).
  bool pages_on_demand() const noexcept { return pages_on_demand_; }
  /// The place of the chosen partition key in the port's table.
  std::uint16_t partition_index() const noexcept { return partition_index_; }

  /// Allocates and registers memory of this process; on iWARP peers may access it, too. Throws Error.
  RegisteredBlock make_block(std::size_t bytes);

  /// Registers memory of the program until release(). If no more memory can be locked, the memory is registered on
  /// demand. Throws Error (MPI_ERR_NO_MEM if the adapter cannot do that).
  Region& acquire(std::span<const std::byte> memory);
  void release(Region& region) noexcept;
  static std::uint32_t local_key(const Region& region) noexcept;
  static std::uint32_t remote_key(const Region& region) noexcept;
  /// Whether the adapter may write to the region; not if the program may not.
  static bool is_writable(const Region& region) noexcept;

 private:
  struct Registered;

  void* add(std::span<const std::byte> memory) override;
  void remove(void* handle) noexcept override;
  std::uint16_t find_partition() const;
  std::uint32_t find_max_inline();
  bool find_on_demand() const noexcept;
  MemoryRegion register_with(std::span<const std::byte> memory, unsigned access) const noexcept;

  Port port_;
  Role role_;
  std::unique_ptr<ibv_context, void (*)(ibv_context*)> device_;
  AdapterEvents events_;
  ProtectionDomain domain_;
  ibv_device_attr facts_{};
  std::uint16_t partition_index_ = 0;
  std::uint32_t max_inline_ = 0;
  bool pages_on_demand_ = false;
  std::optional<transport::WatchedCache> cache_;
};

/// The key by which a peer accesses memory of this process.
struct MemoryKey {
  std::uint64_t region;  ///< address of the Region in the process that has registered it
  std::uint32_t remote_key;
  std::uint32_t writable;  ///< 0: only to be read from
  std::uint64_t hash;      ///< of the above
};

std::vector<std::byte> write_key(const Adapter::Region& region);
/// std::nullopt if the bytes are no key, or damaged.
std::optional<MemoryKey> read_key(std::span<const std::byte> bytes) noexcept;

}  // namespace bowline::verbs
