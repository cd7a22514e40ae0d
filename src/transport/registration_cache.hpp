// SPDX-License-Identifier: BSD-3-Clause
// RegistrationCache: keeps memory registered with a network adapter after a transfer, because registering costs more
// than sending, and programs send from the same buffers again.
//
// The program may give registered memory back to the system and get other memory at the same address. The old
// registration must not be used for the other memory. A hook into munmap(2) notifies the cache. munmap may be called
// inside malloc, in any thread, with any lock held; so unmapped() only records the address range, and the next
// acquire() or release() deregisters it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "base/atomic.hpp"
#include "base/counter.hpp"
#include "base/list.hpp"
#include "base/spin_lock.hpp"

namespace bowline::transport {

/// Registers memory with an adapter.
class Registrar {
 public:
  /// Registers `memory`, which consists of whole pages, and returns a handle. Throws Error if it cannot be registered.
  virtual void* add(std::span<const std::byte> memory) = 0;
  virtual void remove(void* handle) noexcept = 0;

 protected:
  ~Registrar() = default;
};

class RegistrationCache {
 public:
  class Region final : public ListNode {
   public:
    void* handle() const noexcept { return handle_; }
    std::span<const std::byte> memory() const noexcept { return memory_; }

   private:
    friend class RegistrationCache;
    std::span<const std::byte> memory_;
    void* handle_ = nullptr;
    unsigned users_ = 0;
    bool retired_ = false;  ///< not in the index any more; destroyed with its last release()
  };

  /// Keeps up to `max_bytes` bytes in up to `max_regions` regions registered. Regions in use stay registered beyond
  /// these limits. The registrar must outlive the cache.
  RegistrationCache(Registrar& registrar, std::size_t max_bytes, std::size_t max_regions) noexcept
      : registrar_(registrar), max_bytes_(max_bytes), max_regions_(max_regions) {}
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// Returns a registered region that contains `memory` (at least one byte). It stays registered until release().
  /// Throws Error. Any thread may call it.
  Region& acquire(std::span<const std::byte> memory);
  void release(Region& region) noexcept;
  /// Deregisters all regions that are not in use, if the memory that they hold is needed. Any thread may call it.
  void drop_idle() noexcept;

  /// Notifies the cache that this address range is about to be unmapped. Any thread may call it at any time: it
  /// allocates nothing, and waits for no lock under which memory is allocated.
  void unmapped(std::uintptr_t address, std::size_t bytes) noexcept;

 private:
  using Index = std::map<std::uintptr_t, std::unique_ptr<Region>>;  ///< by address; regions do not overlap
  struct Interval {
    std::uintptr_t from;
    std::uintptr_t to;
  };

  Index::iterator first_overlap(Interval interval);
  Region* find(Interval pages);
  std::unique_ptr<Region> make(Interval pages);
  Index::iterator retire(Index::iterator place);
  void forget_unmapped();
  void forget(Interval interval);
  void shrink();
  void evict_idle();
  void evict_oldest();
  void destroy(std::unique_ptr<Region> region) noexcept;

  Registrar& registrar_;
  std::size_t max_bytes_;
  std::size_t max_regions_;

  std::mutex mutex_;  ///< guards the registrar and the members down to `retired_`
  Index index_;
  List<Region> idle_;      ///< regions in the index that are not in use, least recently used first
  std::size_t bytes_ = 0;  ///< of all regions in the index
  static Level registered_bytes;
  Level::Part registered_bytes_{registered_bytes};
  List<Region> retired_;  ///< removed from the index while in use; owned

  // Records of unmapped(), which does not take the mutex. Addresses outside of the lowest and the highest one that were
  // ever registered need no record.
  Atomic<std::uintptr_t> lowest_{UINTPTR_MAX};
  Atomic<std::uintptr_t> highest_{0};
  SpinLock notes_lock_;  ///< guards the next three
  std::array<Interval, 64> notes_{};
  std::size_t note_count_ = 0;
  bool notes_lost_ = false;  ///< more ranges were unmapped than `notes_` can hold
};

}  // namespace bowline::transport
