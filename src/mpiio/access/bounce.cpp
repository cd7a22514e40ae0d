// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/access/bounce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

namespace bowline::mpiio {
namespace {

constexpr std::align_val_t page{4096};
constexpr std::size_t least = 64 << 10;
constexpr std::size_t longest_kept = 4 << 20;

/// At most a few buffers that no object uses.
class Spares {
 public:
  std::byte* take(std::size_t capacity) noexcept {
    const std::lock_guard hold(mutex_);
    const auto found = std::ranges::find(spares_, capacity, &Spare::capacity);
    return found == spares_.end() ? nullptr : std::exchange(*found, {}).memory;
  }
  bool keep(std::byte* memory, std::size_t capacity) noexcept {
    if (capacity > longest_kept) return false;
    const std::lock_guard hold(mutex_);
    const auto empty = std::ranges::find(spares_, nullptr, &Spare::memory);
    if (empty == spares_.end()) return false;
    *empty = {memory, capacity};
    return true;
  }

 private:
  struct Spare {
    std::byte* memory = nullptr;
    std::size_t capacity = 0;
  };
  std::mutex mutex_;
  std::array<Spare, 4> spares_;
};

/// never destroyed, not even by exit(): threads may still use the buffers
Spares& spares() {
  static auto* const all = new Spares;
  return *all;
}

}  // namespace

Bounce::Bounce(std::size_t bytes) : bytes_(bytes), capacity_(std::bit_ceil(std::max(bytes, least))) {
  memory_ = spares().take(capacity_);
  if (memory_ == nullptr) memory_ = static_cast<std::byte*>(::operator new(capacity_, page));
}

Bounce::~Bounce() {
  if (!spares().keep(memory_, capacity_)) ::operator delete(memory_, page);
}

}  // namespace bowline::mpiio
