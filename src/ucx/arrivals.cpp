// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/arrivals.hpp"

#include <utility>

namespace bowline::ucx {
namespace {

std::vector<std::byte> joined(std::span<const std::byte> prefix, std::span<const std::byte> body) {
  std::vector<std::byte> bytes(prefix.begin(), prefix.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

}  // namespace

void Arrivals::begin(transport::Sink& sink) {
  sink_ = &sink;
  delivered_ = 0;
  if (!kept_.empty()) [[unlikely]]
    deliver_kept();
}

unsigned Arrivals::end() {
  if (failure_ != nullptr) [[unlikely]]
    std::rethrow_exception(std::exchange(failure_, nullptr));
  return delivered_;
}

void Arrivals::take(const WireHeader& header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
  if (sink_ == nullptr) [[unlikely]]
    return;
  Incoming& from = incoming_[header.sender];
  if (header.sequence != from.next) [[unlikely]] {
    from.early.emplace(header.sequence, Kept{header.sender, header.message, prefix.size(), joined(prefix, body)});
    return;
  }
  ++from.next;
  deliver(header.sender, header.message, prefix, body);
  while (!from.early.empty()) [[unlikely]] {
      const auto found = from.early.find(from.next);
      if (found == from.early.end()) return;
      ++from.next;
      const Kept message = std::move(found->second);
      from.early.erase(found);
      const std::span<const std::byte> bytes(message.bytes);
      deliver(message.sender, message.header, bytes.first(message.prefix_bytes), bytes.subspan(message.prefix_bytes));
    }
}

/// What the sink cannot take now is kept, and with it everything that comes after it.
void Arrivals::deliver(int sender, transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) {
  if (kept_.empty()) [[likely]] {
    try {
      sink_->arrived(sender, header, prefix, body);
      ++delivered_;
      return;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  kept_.push_back({sender, header, prefix.size(), joined(prefix, body)});
}

void Arrivals::deliver_kept() {
  while (!kept_.empty()) {
    const Kept& message = kept_.front();
    const std::span<const std::byte> bytes(message.bytes);
    sink_->arrived(message.sender, message.header, bytes.first(message.prefix_bytes),
                   bytes.subspan(message.prefix_bytes));
    kept_.pop_front();
    ++delivered_;
  }
}

}  // namespace bowline::ucx
