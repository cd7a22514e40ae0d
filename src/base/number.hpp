// SPDX-License-Identifier: BSD-3-Clause
// Integers as users write them: digits, optionally followed by K, M or G.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bowline {

/// Reads a number; the suffixes K, M and G are powers of 1024. Nothing if the text has another form, or is too large
/// for the type.
std::optional<std::int64_t> parse_number(std::string_view text) noexcept;

/// The shortest text that parse_number() reads as this number: 65536 is "64K".
std::string number_text(std::size_t number);

}  // namespace bowline
