// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/memory_reader.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "launcher/queues/queue_error.hpp"

namespace bowline::launcher {
namespace {

constexpr int most_looks = 1000;
constexpr int most_looks_at_object = 50;
constexpr std::chrono::seconds longest_look(2);  // at lists that change: no further look begins after this time
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;     // of a vector
constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;  // of a list
constexpr std::uint64_t longest_text = 4096;                     // bytes
constexpr std::uint32_t longest_object = 1 << 20;                // bytes

/// The first two members of a vector and of a text.
struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

}  // namespace

std::uint64_t ObjectCopy::number(QueueRecord::Field field) const {
  std::uint64_t value = 0;
  const bool is_there =
      field.bytes <= sizeof value && field.offset <= bytes_.size() && field.bytes <= bytes_.size() - field.offset;
  if (!is_there) throw Inconsistent{};
  std::memcpy(&value, bytes_.data() + field.offset, field.bytes);
  return value;
}

void MemoryReader::settle(const std::string& what, const std::function<void()>& read) const {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + longest_look;
  int looks = 0;
  for (bool again = true; again; again = memory_.changes() && looks < most_looks && Clock::now() < end) {
    try {
      ++looks;
      return read();
    } catch (const Inconsistent&) {
      // The process has changed what was being read.
    }
  }
  if (!memory_.changes()) throw QueueError("{} of {} cannot be read: {}", what, memory_.name(), memory_.advice());
  throw QueueError("{} is too busy: {} changed during each of {} looks; {}", memory_.name(), what, looks,
                   memory_.advice());
}

std::vector<std::byte> MemoryReader::bytes(std::uint64_t address, std::size_t count) const {
  if (address == 0 || count > most_bytes) throw Inconsistent{};
  std::byte last;  // an invented length must not make this process large
  if (count > longest_object && !memory_.read(address + count - 1, std::span(&last, 1))) throw Inconsistent{};
  std::vector<std::byte> copy(count);
  if (!memory_.read(address, copy)) throw Inconsistent{};
  return copy;
}

ObjectCopy MemoryReader::object(std::uint64_t address, std::uint32_t count) const {
  if (count > longest_object) throw Inconsistent{};
  std::vector<std::byte> copy = bytes(address, count);
  for (int look = 0; memory_.changes(); ++look) {
    std::vector<std::byte> again = bytes(address, count);
    if (again == copy) break;
    if (look == most_looks_at_object) throw Inconsistent{};
    copy = std::move(again);
  }
  return ObjectCopy(std::move(copy));
}

/// The vector must stay as it is while its elements are read: otherwise they may have been moved.
std::vector<std::byte> MemoryReader::content_of(std::uint64_t vector, std::size_t element) const {
  const std::vector<std::byte> before = bytes(vector, sizeof(Pair));
  Pair range;
  std::memcpy(&range, before.data(), sizeof range);
  if (range.first == range.second) return {};
  if (range.second < range.first || element == 0 || (range.second - range.first) % element != 0) throw Inconsistent{};
  std::vector<std::byte> content = bytes(range.first, range.second - range.first);
  if (bytes(vector, sizeof(Pair)) != before) throw Inconsistent{};
  return content;
}

std::vector<ObjectCopy> MemoryReader::elements(std::uint64_t vector, std::uint32_t count) const {
  const std::vector<std::byte> content = content_of(vector, count);
  std::vector<ObjectCopy> copies;
  for (auto at = content.begin(); at != content.end(); at += count)
    copies.emplace_back(std::vector<std::byte>(at, at + count));
  return copies;
}

std::vector<std::uint64_t> MemoryReader::addresses(std::uint64_t vector) const {
  const std::vector<std::byte> content = content_of(vector, sizeof(std::uint64_t));
  std::vector<std::uint64_t> found(content.size() / sizeof(std::uint64_t));
  if (!content.empty()) std::memcpy(found.data(), content.data(), content.size());
  std::erase(found, 0);
  return found;
}

std::vector<std::int32_t> MemoryReader::integers(std::uint64_t address, std::size_t count) const {
  const std::vector<std::byte> content = bytes(address, count * sizeof(std::int32_t));
  std::vector<std::int32_t> numbers(count);
  if (count > 0) std::memcpy(numbers.data(), content.data(), content.size());
  return numbers;
}

std::string MemoryReader::text(const ObjectCopy& object, std::uint32_t offset) const {
  const Pair place{.first = object.address(offset), .second = object.address(offset + sizeof(std::uint64_t))};
  if (place.second == 0) return {};
  if (place.second > longest_text) throw Inconsistent{};
  const std::vector<std::byte> content = bytes(place.first, place.second);
  return {reinterpret_cast<const char*>(content.data()), content.size()};
}

/// Each element must lead back to the one before: an element that has left the list does not.
void MemoryReader::each(std::uint64_t head, const QueueRecord::ListLayout& layout, std::uint32_t link,
                        std::uint32_t count, const std::function<void(const ObjectCopy&)>& use) const {
  const std::uint32_t head_bytes = std::max(layout.next, layout.previous) + sizeof(std::uint64_t);
  std::uint64_t before = head;
  std::uint64_t elements = 0;
  for (std::uint64_t node = object(head, head_bytes).address(layout.next); node != head; ++elements) {
    if (elements == most_elements || node < link) throw Inconsistent{};
    const ObjectCopy element = object(node - link, count);
    if (element.address(link + layout.previous) != before) throw Inconsistent{};
    use(element);
    before = node;
    node = element.address(link + layout.next);
  }
  if (object(head, head_bytes).address(layout.previous) != before) throw Inconsistent{};
}

}  // namespace bowline::launcher
