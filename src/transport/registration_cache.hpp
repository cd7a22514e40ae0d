// SPDX-License-Identifier: BSD-3-Clause
// RegistrationCache: memory that a network adapter may access stays registered after a transfer, because registering
// costs more than sending, and programs send from the same buffers again.
//
// The program may give such memory back to the system, and get other memory at the same address: what was registered
// there must not be used again. Whoever hooks into munmap(2) tells the cache, from wherever that is called: inside
// malloc, in any thread, with any lock held. So unmapped() only takes a note; the next acquire() or release() acts on
// it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "base/list.hpp"

namespace bowline::transport {

/// Makes memory known to an adapter.
class Registrar {
 public:
  /// Returns a handle for the memory, whole pages; throws Error if it cannot be registered.
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
    bool retired_ = false;  ///< found by nobody any more; goes with its last user
  };

  /// Keeps up to `max_bytes` in up to `max_regions` registered, and what is in use. The registrar must outlive it.
  RegistrationCache(Registrar& registrar, std::size_t max_bytes, std::size_t max_regions) noexcept
      : registrar_(registrar), max_bytes_(max_bytes), max_regions_(max_regions) {}
  ~RegistrationCache();
  RegistrationCache(const RegistrationCache&) = delete;
  RegistrationCache& operator=(const RegistrationCache&) = delete;

  /// A registered region that contains this memory (at least one byte); it stays registered until release(). Throws
  /// Error.
  Region& acquire(std::span<const std::byte> memory);
  void release(Region& region) noexcept;

  /// This address range is about to be unmapped. May be called by any thread at any time: allocates nothing, and waits
  /// for no lock under which memory is allocated.
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
  void destroy(std::unique_ptr<Region> region) noexcept;

  Registrar& registrar_;
  std::size_t max_bytes_;
  std::size_t max_regions_;

  std::mutex mutex_;  ///< of everything up to here and in this part
  Index index_;
  List<Region> idle_;      ///< those in the index that nobody uses, longest unused first
  std::size_t bytes_ = 0;  ///< in the index
  List<Region> retired_;   ///< not in the index any more, and in use; owned

  // Notes of unmapped(), which takes no mutex. The outermost addresses spare it most of them.
  std::atomic<std::uintptr_t> lowest_{UINTPTR_MAX};
  std::atomic<std::uintptr_t> highest_{0};
  std::atomic_flag notes_taken_;
  std::array<Interval, 64> notes_{};
  std::size_t note_count_ = 0;
  bool notes_lost_ = false;  ///< there were more than have room
};

}  // namespace bowline::transport
