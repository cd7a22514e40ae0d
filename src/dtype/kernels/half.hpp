// SPDX-License-Identifier: BSD-3-Clause
// Half: IEEE binary16 for compilers and processors that may lack it. Arithmetic uses float, whose 24 significant bits
// (against 11) make rounding twice give the same sum and product as rounding once.
#pragma once

#include <bit>
#include <cstdint>

namespace bowline::dtype {

/// Conversions have no branches and are always inlined, so that the compiler vectorizes loops over halves. Every 64-bit
/// ARM processor has instructions for them.
struct Half {
  std::uint16_t bits;

  Half() = default;
  /// Rounds to the nearest half, ties to even; overflows to infinity.
  [[gnu::always_inline]] explicit Half(float value) noexcept : bits(round(value)) {}

#ifdef __aarch64__
  [[gnu::always_inline]] explicit operator float() const noexcept {
    return static_cast<float>(std::bit_cast<__fp16>(bits));
  }

 private:
  [[gnu::always_inline]] static std::uint16_t round(float value) noexcept {
    return std::bit_cast<std::uint16_t>(static_cast<__fp16>(value));
  }
#else
  [[gnu::always_inline]] explicit operator float() const noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
    const bool special = (bits & 0x7c00u) == 0x7c00u;  // infinity or NaN: the exponent is all ones in both formats
    constexpr std::uint32_t rebias = std::uint32_t{127 - 15} << 23;
    const bool subnormal = (bits & 0x7c00u) == 0;
    const float small = static_cast<float>(static_cast<std::int32_t>(bits & 0x3ffu)) * 0x1p-24f;
    const std::uint32_t normal = magnitude + (special ? 2 * rebias : rebias);
    return std::bit_cast<float>(sign | (subnormal ? std::bit_cast<std::uint32_t>(small) : normal));
  }

 private:
  [[gnu::always_inline]] static std::uint16_t round(float value) noexcept {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
    const std::uint32_t magnitude = word & 0x7fffffffu;
    constexpr std::uint32_t infinity = 0x7f800000u;
    constexpr std::uint32_t overflow = 0x477ff000u;    // 65520, half way from the largest half to 2^16
    constexpr std::uint32_t normal_min = 0x38800000u;  // 2^-14
    // Below 2^-14 adding 0.5 leaves the multiple of 2^-24 in the lowest bits, rounded by the processor.
    const auto small =
        static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) & 0x7ffu);
    const auto normal = static_cast<std::uint16_t>(
        (magnitude - (std::uint32_t{127 - 15} << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13);
    std::uint16_t result = magnitude < normal_min ? small : normal;
    if (magnitude >= overflow) result = 0x7c00u;
    if (magnitude > infinity) result = 0x7e00u;  // NaN
    return static_cast<std::uint16_t>(result | sign);
  }
#endif
};

}  // namespace bowline::dtype
