// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/pending_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "api/checking/places.hpp"

namespace bowline::api::checking {
namespace {

/// Eight bytes at a time, as in FNV-1a.
std::uint64_t digest_of(std::span<const std::byte> bytes) noexcept {
  constexpr std::uint64_t start = 0xcbf29ce484222325U, prime = 0x100000001b3U;
  constexpr int rotation = 29;
  std::uint64_t digest = start;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    digest = (digest ^ word) * prime;
    digest ^= digest >> rotation;
  }
  return digest;
}

/// The bytes that two uses share.
std::size_t common(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  const std::byte* const begin = std::max(a.data(), b.data());
  const std::byte* const end = std::min(a.data() + a.size(), b.data() + b.size());
  return begin < end ? static_cast<std::size_t>(end - begin) : 0;
}

}  // namespace

const PendingBuffers::Buffer* PendingBuffers::find_conflict(const UsedBytes& use) const {
  const auto found = std::ranges::find_if(buffers_, [&](const Buffer& pending) {
    const bool writes = use.access == Access::writes || pending.use.access == Access::writes;
    return pending.active && writes && common(use.bytes, pending.use.bytes) > 0;
  });
  return found == buffers_.end() ? nullptr : &*found;
}

bool PendingBuffers::conflict(const UsedBytes& use) const {
  const std::lock_guard hold(mutex_);
  return find_conflict(use) != nullptr;
}

std::optional<std::string> PendingBuffers::used(const UsedBytes& use, const MpiCall& by) {
  std::optional<Buffer> other;
  {
    const std::lock_guard hold(mutex_);
    const Buffer* const conflict = find_conflict(use);
    if (conflict == nullptr || !told_.insert({by.returns_to, conflict->by.returns_to}).second) return {};
    other = *conflict;
  }
  const bool reads = other->use.access == Access::reads;
  const std::vector<std::string> places = in_words(std::array{by, other->by});
  return fmt::format("{} {} {} bytes {} {} {}; that operation has not been completed yet", places[0],
                     use.access == Access::reads ? "reads" : "writes to", common(use.bytes, other->use.bytes),
                     reads ? "that" : "into which", places[1], reads ? "sends" : "receives");
}

void PendingBuffers::add(const Completion& until, const UsedBytes& use, const MpiCall& by, bool persistent) {
  const bool sends = !persistent && use.access == Access::reads;
  const std::lock_guard hold(mutex_);
  buffers_.push_back({.until = until,
                      .use = use,
                      .by = by,
                      .persistent = persistent,
                      .active = !persistent,
                      .digest = sends ? digest_of(use.bytes) : 0});
}

void PendingBuffers::restart(const void* request) {
  const std::lock_guard hold(mutex_);
  for (Buffer& buffer : buffers_) {
    if (buffer.until.handle != request) continue;
    buffer.active = true;
    if (buffer.use.access == Access::reads) buffer.digest = digest_of(buffer.use.bytes);
  }
}

std::optional<std::string> PendingBuffers::completed(const Completion& what, const MpiCall& by) {
  std::optional<MpiCall> changed;
  {
    const std::lock_guard hold(mutex_);
    for (Buffer& buffer : buffers_) {
      if (!buffer.active || !what.covers(buffer.until)) continue;
      if (buffer.use.access == Access::reads && buffer.digest != digest_of(buffer.use.bytes)) changed = buffer.by;
      buffer.active = false;
    }
    std::erase_if(buffers_, [](const Buffer& buffer) { return !buffer.active && !buffer.persistent; });
    if (!changed || !told_.insert({by.returns_to, changed->returns_to}).second) return {};
  }
  const std::vector<std::string> places = in_words(std::array{*changed, by});
  return fmt::format(
      "the program has changed the data that {} sends before {} has completed the operation: the "
      "receiver may get either",
      places[0], places[1]);
}

bool PendingBuffers::is_active(const void* request) const {
  const std::lock_guard hold(mutex_);
  return std::ranges::any_of(
      buffers_, [request](const Buffer& buffer) { return buffer.active && buffer.until.handle == request; });
}

void PendingBuffers::forget(const void* request) {
  const std::lock_guard hold(mutex_);
  std::erase_if(buffers_, [request](const Buffer& buffer) { return buffer.until.handle == request; });
}

}  // namespace bowline::api::checking
