// SPDX-License-Identifier: BSD-3-Clause
// Accumulates as atomic operations of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "dtype/op.hpp"
#include "transport/transport.hpp"

namespace bowline::rma {

/// The operation of a network for an operator; nothing if it has none. MPI_NO_OP adds nothing.
constexpr std::optional<transport::AtomicKind> network_operation(dtype::Operator op) noexcept {
  switch (op) {
    case dtype::Operator::sum:
    case dtype::Operator::no_op:
      return transport::AtomicKind::add;
    case dtype::Operator::band:
      return transport::AtomicKind::bit_and;
    case dtype::Operator::bor:
      return transport::AtomicKind::bit_or;
    case dtype::Operator::bxor:
      return transport::AtomicKind::bit_xor;
    case dtype::Operator::replace:
      return transport::AtomicKind::swap;
    default:
      return {};
  }
}

/// A number of four or eight bytes, with zeros above.
inline std::uint64_t read_number(const std::byte* from, std::size_t bytes) noexcept {
  std::uint64_t number = 0;
  std::memcpy(&number, from, bytes);
  return number;
}

}  // namespace bowline::rma
