// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/external32/pack_external.hpp"

#include <algorithm>
#include <array>

#include "dtype/cursor.hpp"
#include "dtype/elements.hpp"
#include "dtype/external32/external32.hpp"

namespace bowline::dtype {
namespace {

/// A buffer for elements of a predefined type between memory and external32, which holds a part of them at a time.
class Bounce {
 public:
  explicit Bounce(const Datatype& basic) noexcept : basic_(basic) {}

  std::size_t capacity() const noexcept { return native_.size() / static_cast<std::size_t>(basic_.extent()); }
  std::byte* native() noexcept { return native_.data(); }

  /// Packs the next `n` elements from the cursor without holes, and restores their padding.
  void take(Cursor& from, std::size_t n) {
    if (basic_.contiguous()) {
      from.pack({native_.data(), n * basic_.size()});
    } else {
      from.pack({packed_.data(), n * basic_.size()});
      unpack(basic_, packed_.data(), n * basic_.size(), native_.data());
    }
  }

  void give(Cursor& to, std::size_t n) {
    if (basic_.contiguous()) {
      to.unpack({native_.data(), n * basic_.size()});
    } else {
      pack(basic_, n, native_.data(), packed_.data());
      to.unpack({packed_.data(), n * basic_.size()});
    }
  }

 private:
  static constexpr std::size_t bytes = 4096;
  const Datatype& basic_;
  alignas(32) std::array<std::byte, bytes> native_;
  alignas(32) std::array<std::byte, bytes> packed_;
};

}  // namespace

std::optional<std::size_t> external_size(const Datatype& type, std::size_t count) {
  const std::size_t one =
      sum_of_elements(type.given(), external32_size);  // no element is larger in external32 than in memory
  std::ptrdiff_t all = 0;
  if (__builtin_mul_overflow(one, count, &all)) return std::nullopt;
  return static_cast<std::size_t>(all);
}

void pack_external(const Datatype& type, std::size_t count, const void* source, std::byte* target) {
  Cursor from(type, count, source);
  for_each_element(type.given(), count, [&](const Datatype& basic, std::size_t n) {
    Bounce bounce(basic);
    for (std::size_t part = 0; n > 0; n -= part) {
      part = std::min(n, bounce.capacity());
      bounce.take(from, part);
      to_external32(basic.element(), bounce.native(), target, part);
      target += part * external32_size(basic.element());
    }
  });
}

void unpack_external(const Datatype& type, std::size_t count, const std::byte* source, void* target) {
  Cursor to(type, count, target);
  for_each_element(type.given(), count, [&](const Datatype& basic, std::size_t n) {
    Bounce bounce(basic);
    for (std::size_t part = 0; n > 0; n -= part) {
      part = std::min(n, bounce.capacity());
      from_external32(basic.element(), source, bounce.native(), part);
      source += part * external32_size(basic.element());
      bounce.give(to, part);
    }
  });
}

}  // namespace bowline::dtype
