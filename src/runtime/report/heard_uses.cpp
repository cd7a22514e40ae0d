// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/report/heard_uses.hpp"

#include <algorithm>
#include <cstring>

namespace bowline::runtime {

HeardUses::Member HeardUses::Member::named(std::string_view event, std::string_view field) {
  EventKind& kind = **std::ranges::find(EventKind::all(), event, &EventKind::name);
  return {kind, *std::ranges::find(kind.fields(), field, &EventField::name)};
}

std::uint64_t HeardUses::Member::of(const Occurrence& occurrence) const noexcept {
  const std::byte* const place = occurrence.record.data() + field.offset;
  std::uint64_t wide = 0;
  std::int32_t narrow = 0;
  if (field.type == EventField::Type::uint64) {
    std::memcpy(&wide, place, sizeof wide);
    return wide;
  }
  std::memcpy(&narrow, place, sizeof narrow);
  return static_cast<std::uint64_t>(narrow);
}

HeardUses::HeardUses()
    : algorithm_(Member::named("algorithm_chosen", "algorithm")),
      access_(Member::named("file_access", "access")),
      bytes_(Member::named("file_access", "bytes")),
      calls_(algorithm_.field.words.size()) {
  algorithm_.event.add(*this);
  access_.event.add(*this);
}

void HeardUses::end() noexcept {
  algorithm_.event.remove(*this);
  access_.event.remove(*this);
}

std::span<const std::string_view> HeardUses::algorithm_names() const noexcept {
  return algorithm_.field.words;
}

void HeardUses::hear(const Occurrence& occurrence) noexcept {
  if (&occurrence.kind == &algorithm_.event) {
    ++calls_[algorithm_.of(occurrence)];
    return;
  }
  Accesses& accesses = accesses_[access_.of(occurrence)];
  ++accesses.number;
  accesses.bytes += bytes_.of(occurrence);
}

}  // namespace bowline::runtime
