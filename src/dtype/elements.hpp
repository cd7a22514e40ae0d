// SPDX-License-Identifier: BSD-3-Clause
// The basic elements of a datatype, in the order of its data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "dtype/datatype.hpp"

namespace bowline::dtype {

/// The number of basic elements in the first `bytes` bytes of data of an array of `type`; nothing if the bytes end
/// inside an element.
std::optional<std::int64_t> elements_in(const Datatype& type, std::size_t bytes);

/// The number of bytes of the first `elements` basic elements of an array of `type`; nothing if the number does not fit
/// 64 bits, or if the type has no data.
std::optional<std::int64_t> bytes_of(const Datatype& type, std::int64_t elements);

/// The sum of `measure` over all predefined elements of one `type`.
std::size_t sum_of_elements(const Datatype& type, std::size_t (*measure)(Element) noexcept);

/// The type of all elements in the data of `type`: a predefined type, or a pair of value and index without a name.
/// nullptr if there are several types, or no data.
const Datatype* uniform_element(const Datatype& type) noexcept;

/// Calls `visit` with each predefined type and the number of consecutive elements of it in the data of `count` elements
/// of `type`.
using ElementVisitor = std::function<void(const Datatype& basic, std::size_t count)>;
void for_each_element(const Datatype& type, std::size_t count, const ElementVisitor& visit);

}  // namespace bowline::dtype
