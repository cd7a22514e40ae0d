// SPDX-License-Identifier: BSD-3-Clause
// CallSites: where the program calls MPI, and how much time passes there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/diagnosis/mpi_call.hpp"

namespace bowline {

/// A table of fixed size. All threads, and signal handlers that interrupt them, may add to it at the same time; nobody
/// waits for another.
class CallSites {
 public:
  static constexpr std::size_t most_sites = 1023;
  static constexpr std::size_t most_partners = 8;

  /// A rank for which calls have waited.
  struct Partner {
    Atomic<std::int32_t> mark{0};  ///< 1 + the rank in MPI_COMM_WORLD; 0: unused
    Atomic<std::uint64_t> waited{0};
  };
  struct Site {
    Atomic<std::uintptr_t> key{0};  ///< 0: unused
    Atomic<const char*> function{nullptr};
    Atomic<std::uintptr_t> returns_to{0};  ///< as in MpiCall
    Atomic<std::uint64_t> waited{0};       ///< nanoseconds in which calls waited for other ranks
    Atomic<std::uint64_t> worked{0};       ///< nanoseconds in which calls did something else
    std::array<Partner, most_partners> partners;
    std::string place{};  ///< if only words name it; never changes

    /// The calls have waited for one rank; negative: for several, or it is not known for which one.
    void add_wait(std::uint64_t nanoseconds, std::int32_t rank) noexcept;
  };

  /// Throws std::bad_alloc.
  CallSites() : sites_(most_sites + 1) {}

  /// The site of this call. All calls share one if there are too many.
  Site& of(const MpiCall& call) noexcept;

  /// The site of calls of this function in a line of Python, whose address says nothing. Takes a lock. Throws
  /// std::bad_alloc.
  Site& of(const char* function, const std::string& place);

  template <class Action>
  void for_each(Action action) const {
    for (const Site& each : sites_) {
      if (each.key.load(std::memory_order_acquire) != 0) action(each);
    }
    const std::lock_guard hold(mutex_);
    for (const auto& [key, site] : named_) action(site);
  }

 private:
  std::vector<Site> sites_;  ///< the last one is for all calls that have no other
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, const char*>, Site> named_;  ///< by place and function
};

}  // namespace bowline
