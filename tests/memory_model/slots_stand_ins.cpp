// SPDX-License-Identifier: BSD-3-Clause
// Stands in for what coll/slots uses of other folders. The processes of a model have one address space; the order of
// the kernel's accesses to it is that of the calling thread.
#include "base/atomic.hpp"
#include "coll/channel/call_kind.hpp"
#include "node/peer_memory.hpp"

namespace bowline::node {
namespace {

/// One word stands for the whole copy, so that long copies take few accesses.
ssize_t copy_word(void* to, const void* from, std::size_t bytes) {
  std::uint64_t word = 0;
  copy_from_shared(&word, from, sizeof word);
  copy_to_shared(to, &word, sizeof word);
  return static_cast<ssize_t>(bytes);
}

}  // namespace

ProcessMark own_mark() {
  return {};
}
ssize_t read_memory(const ProcessMark&, const void* theirs, std::span<std::byte> mine) noexcept {
  return copy_word(mine.data(), theirs, mine.size());
}
ssize_t write_memory(const ProcessMark&, std::span<const std::byte> mine, void* theirs) noexcept {
  return copy_word(theirs, mine.data(), mine.size());
}

}  // namespace bowline::node

namespace bowline::coll {

Error different_calls(int, CallKind, CallKind) {
  return {ErrorClass::other, "the members' calls differ"};
}

}  // namespace bowline::coll
