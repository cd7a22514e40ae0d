// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_memory.hpp"

namespace bowline::verbs {

transport::Access VerbsMemory::put(std::span<const std::byte> source, std::uint64_t address,
                                   transport::Operation& operation) {
  return endpoint_.begin(MemoryTransfer::Purpose::put, {const_cast<std::byte*>(source.data()), source.size()},
                         {address, key_}, operation);
}

transport::Access VerbsMemory::atomic(const transport::RemoteAtomic& what, std::uint64_t address, void* old,
                                      transport::Operation& operation) {
  return endpoint_.begin(what, {address, key_}, old, operation);
}

}  // namespace bowline::verbs
