// SPDX-License-Identifier: BSD-3-Clause
// MemoryLevel: how much memory a part of the library has. Changed rarely, and by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/atomic.hpp"
#include "base/counter.hpp"

namespace bowline {

/// In bytes, and as a second measure with the name `peak_name`, the most that there have been. Declared as a counter
/// is.
class MemoryLevel final : public Measure {
 public:
  MemoryLevel(Category category, std::string_view name, std::string_view peak_name, std::string_view help)
      : Measure(Kind::level, category, name, help), peak_(category, peak_name, help) {}

  std::uint64_t value() const noexcept override { return bytes_.load(std::memory_order_relaxed); }

  /// Memory that is counted until the object ends. Move-only. The level must outlive it.
  class Share {
   public:
    Share() = default;
    Share(MemoryLevel& level, std::size_t bytes) noexcept : level_(&level) { grow(bytes); }
    Share(Share&& other) noexcept
        : level_(std::exchange(other.level_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(level_, other.level_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (level_ != nullptr) level_->bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
    }
    /// Only of an object that was made for a level.
    void grow(std::size_t bytes) noexcept {
      bytes_ += bytes;
      level_->add(bytes);
    }

   private:
    MemoryLevel* level_ = nullptr;
    std::size_t bytes_ = 0;
  };

 private:
  class Peak final : public Measure {
   public:
    Peak(Category category, std::string_view name, std::string_view help) : Measure(Kind::peak, category, name, help) {}
    std::uint64_t value() const noexcept override { return bytes_.load(std::memory_order_relaxed); }
    void raise(std::uint64_t to) noexcept {
      std::uint64_t now = value();
      while (now < to && !bytes_.compare_exchange_weak(now, to, std::memory_order_relaxed)) continue;
    }

   private:
    Atomic<std::uint64_t> bytes_{0};
  };

  void add(std::size_t bytes) noexcept { peak_.raise(bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes); }

  Atomic<std::uint64_t> bytes_{0};
  Peak peak_;
};

}  // namespace bowline
