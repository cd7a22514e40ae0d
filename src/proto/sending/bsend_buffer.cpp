// SPDX-License-Identifier: BSD-3-Clause
#include "proto/sending/bsend_buffer.hpp"

#include <fmt/format.h>

#include <utility>

#include "dtype/predefined.hpp"

namespace bowline::proto {
namespace {

constexpr std::size_t alignment = 16;

constexpr std::size_t rounded(std::size_t bytes) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace

/// One message that has not been sent yet.
class BsendBuffer::Block final : public SendObserver {
 public:
  Block(BsendBuffer& owner_, std::uint64_t number_) noexcept : owner(owner_), number(number_) {}
  // A failed message counts as sent.
  void send_ended(const Error*) noexcept override { owner.give_back(*this); }

  BsendBuffer& owner;
  std::uint64_t number;
  std::size_t offset = 0;            ///< in the user's memory
  std::size_t length = 0;            ///< length of the piece there
  std::unique_ptr<std::byte[]> own;  ///< memory of this message, in an automatic buffer
  std::byte* data = nullptr;
};

class BsendBuffer::Flush final : public SpecialRequest {
 public:
  Flush(std::uint32_t context, std::uint64_t number_) noexcept : SpecialRequest(context), number(number_) {
    lane_bound = false;
  }
  std::string in_words(Engine&) const override { return "buffered messages to leave"; }
  WaitTargets targets(Engine&) const override { return WaitTargets::some_rank(); }
  using ListNode::linked;
  std::uint64_t number;
};

BsendBuffer::BsendBuffer() = default;
BsendBuffer::~BsendBuffer() = default;

void BsendBuffer::attach(std::span<std::byte> memory) {
  attach(Storage::memory, memory);
}

void BsendBuffer::attach_automatic() {
  attach(Storage::automatic, {});
}

void BsendBuffer::attach(Storage kind, std::span<std::byte> memory) {
  const std::lock_guard hold(mutex_);
  if (attached()) throw Error(ErrorClass::buffer, "a buffer is attached already: detach it first");
  memory_ = memory;
  kind_ = kind;
}

/// Looks and detaches in one step, because another thread may send meanwhile.
std::optional<BsendBuffer::Detached> BsendBuffer::try_detach() {
  const std::lock_guard hold(mutex_);
  if (!attached()) throw Error(ErrorClass::buffer, "no buffer is attached: attach one first");
  if (!waiting_.empty()) return std::nullopt;
  const Detached detached{.automatic = automatic(), .memory = memory_};
  kind_ = Storage::none;
  memory_ = {};
  return detached;
}

void BsendBuffer::send(Engine& engine, int to, transport::Header header, const Buffer& message) {
  const std::size_t bytes = message.bytes();
  Block& block = reserve(bytes);
  try {
    if (engine.try_send(to, header, message)) return give_back(block);
    dtype::pack(*message.type, message.count, message.base, block.data);
    engine.send_observed(to, header, {block.data, bytes, &dtype::byte_type()}, block);
  } catch (...) {
    give_back(block);  // the peer cannot be reached
    throw;
  }
}

/// Finds room for a message: the first gap that is long enough.
BsendBuffer::Block& BsendBuffer::reserve(std::size_t bytes) {
  const std::lock_guard hold(mutex_);
  auto block = std::make_unique<Block>(*this, latest_ + 1);
  if (automatic()) {
    block->own = std::make_unique_for_overwrite<std::byte[]>(bytes);
    block->data = block->own.get();
  } else {
    std::size_t gap = 0;
    for (const auto& [offset, length] : used_) {
      if (offset - gap >= rounded(bytes)) break;
      gap = offset + length;
    }
    if (gap > memory_.size() || memory_.size() - gap < bytes) {
      throw Error(ErrorClass::buffer,
                  attached() ? fmt::format("the message has {} bytes, but of the attached buffer of {} bytes no piece "
                                           "of that length is free ({} messages wait in it): attach a larger one",
                                           bytes, memory_.size(), waiting_.size())
                             : fmt::format("the message has {} bytes, but no buffer is attached: call "
                                           "MPI_Buffer_attach first",
                                           bytes));
    }
    block->offset = gap;
    block->data = memory_.data() + gap;
    block->length = rounded(bytes);
    if (bytes > 0) used_.emplace(gap, block->length);
  }
  ++latest_;
  Block& reserved = *block;
  waiting_.emplace(reserved.number, std::move(block));
  return reserved;
}

void BsendBuffer::give_back(Block& block) noexcept {
  const std::lock_guard hold(mutex_);
  if (block.length > 0) used_.erase(block.offset);
  waiting_.erase(block.number);
  List<Flush> still_waiting;
  while (!flushes_.empty()) {
    Flush& flush = flushes_.pop_front();
    if (left_locked(flush.number)) {
      flush.done = true;
    } else {
      still_waiting.push_back(flush);
    }
  }
  flushes_.append(still_waiting);
}

std::uint64_t BsendBuffer::latest() const noexcept {
  const std::lock_guard hold(mutex_);
  return latest_;
}

bool BsendBuffer::left(std::uint64_t number) const noexcept {
  const std::lock_guard hold(mutex_);
  return left_locked(number);
}

bool BsendBuffer::left_locked(std::uint64_t number) const noexcept {
  return waiting_.empty() || waiting_.begin()->first > number;
}

Request& BsendBuffer::flush_request(std::uint32_t context) {
  const std::lock_guard hold(mutex_);
  auto& flush = *new Flush(context, latest_);
  if (left_locked(latest_)) {
    flush.done = true;
  } else {
    flushes_.push_back(flush);
  }
  return flush;
}

}  // namespace bowline::proto
