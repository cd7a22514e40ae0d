// SPDX-License-Identifier: BSD-3-Clause
// HeardUses: which algorithms of collectives this process uses how often, and what it reads and writes in files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/events/event.hpp"

namespace bowline::runtime {

/// Counts events of the library. Reading is right when nobody is heard any more.
class HeardUses final : public EventListener {
 public:
  struct Accesses {
    std::uint64_t number = 0, bytes = 0;
  };

  /// Begins to listen. Throws std::bad_alloc.
  HeardUses();
  void end() noexcept;

  void hear(const Occurrence& occurrence) noexcept override;

  /// Calls by algorithm; the names are as in algorithm_names().
  std::span<const std::uint64_t> algorithm_calls() const noexcept { return calls_; }
  /// "bcast/binomial" and so on.
  std::span<const std::string_view> algorithm_names() const noexcept;
  const Accesses& reads() const noexcept { return accesses_[0]; }
  const Accesses& writes() const noexcept { return accesses_[1]; }

 private:
  /// A member of the records of an event.
  struct Member {
    EventKind& event;
    const EventField& field;

    static Member named(std::string_view event, std::string_view field);
    std::uint64_t of(const Occurrence& occurrence) const noexcept;
  };

  const Member algorithm_;  ///< in algorithm_chosen
  const Member access_;     ///< in file_access: 0 reads, 1 writes
  const Member bytes_;
  std::vector<std::uint64_t> calls_;
  std::array<Accesses, 2> accesses_{};
};

}  // namespace bowline::runtime
