// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_memory.hpp"

#include "base/error.hpp"

namespace bowline::verbs {

transport::Access VerbsMemory::put(std::span<const std::byte> source, std::uint64_t address,
                                   transport::Operation& operation) {
  return endpoint_.begin(Transfer::Kind::put, {const_cast<std::byte*>(source.data()), source.size()}, {address, key_},
                         operation);
}

transport::Access VerbsMemory::atomic(const transport::RemoteAtomic&, std::uint64_t, void*, transport::Operation&) {
  throw Error(ErrorClass::unsupported_operation, "atomic operations in memory of peers are not supported");
}

}  // namespace bowline::verbs
