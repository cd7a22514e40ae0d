// SPDX-License-Identifier: BSD-3-Clause
#include "proto/matching/match.hpp"

#include <new>

#include "proto/timers.hpp"

namespace bowline::proto {

// ---- receives

/// Searches linearly from the front. A long search makes an index for the next one.
ReceiveRequest* PostedQueue::walk(transport::Header header) noexcept {
  const SwitchedTimer::Section timed(matching);
  std::size_t passed = 0;
  ReceiveRequest* const found = list_.find([&](const ReceiveRequest& receive) {
    ++passed;
    return receive.accepts(header);
  });
  if (passed > walked_at_most) make_index();
  return found;
}

void PostedQueue::make_index() noexcept {
  try {
    index_ = std::make_unique<Index>();
  } catch (const std::bad_alloc&) {
    return;
  }
  list_.find([this](ReceiveRequest& receive) {
    index(receive);
    return index_ == nullptr;
  });
}

/// Adds the receive to the index, or deletes the index if there is no memory.
void PostedQueue::index(ReceiveRequest& receive) noexcept {
  try {
    index_->add(key_of(receive), receive);
  } catch (const std::bad_alloc&) {
    index_->clear();
    index_.reset();
  }
}

ReceiveRequest* PostedQueue::find_indexed(transport::Header header) noexcept {
  const SwitchedTimer::Section timed(matching);
  ReceiveRequest* oldest = nullptr;
  for (const int source : {header.source, any_source}) {
    for (const int tag : {header.tag, any_tag}) {
      ReceiveRequest* const found = index_->oldest(match_key(source, tag));
      if (found != nullptr && (oldest == nullptr || found->number < oldest->number)) oldest = found;
    }
  }
  return oldest;
}

// ---- messages

void UnexpectedQueue::Index::add(Unexpected& message) {
  const auto& [context, source, tag, kind, flags, mark] = message.header;
  exact.add(match_key(source, tag), message);
  by_source.add(match_key(source, any_tag), message);
  by_tag.add(match_key(any_source, tag), message);
}

void UnexpectedQueue::Index::remove(Unexpected& message) noexcept {
  const auto& [context, source, tag, kind, flags, mark] = message.header;
  exact.remove(match_key(source, tag), message);
  by_source.remove(match_key(source, any_tag), message);
  by_tag.remove(match_key(any_source, tag), message);
}

void UnexpectedQueue::Index::clear() noexcept {
  exact.clear();
  by_source.clear();
  by_tag.clear();
}

Unexpected* UnexpectedQueue::find(int source, int tag) noexcept {
  if (list_.empty()) return nullptr;
  if (source == any_source && tag == any_tag) return &list_.front();
  const SwitchedTimer::Section timed(matching);
  if (index_ == nullptr) return walk(source, tag);
  if (source == any_source) return index_->by_tag.oldest(match_key(any_source, tag));
  if (tag == any_tag) return index_->by_source.oldest(match_key(source, any_tag));
  return index_->exact.oldest(match_key(source, tag));
}

/// As PostedQueue::walk().
Unexpected* UnexpectedQueue::walk(int source, int tag) noexcept {
  std::size_t passed = 0;
  Unexpected* const found = list_.find([&](const Unexpected& message) {
    ++passed;
    return (source == message.header.source || source == any_source) && (tag == message.header.tag || tag == any_tag);
  });
  if (passed > walked_at_most) make_index();
  return found;
}

void UnexpectedQueue::make_index() noexcept {
  try {
    index_ = std::make_unique<Index>();
  } catch (const std::bad_alloc&) {
    return;
  }
  list_.find([this](Unexpected& each) {
    index(each);
    return index_ == nullptr;
  });
}

/// Adds the message to the index, or deletes the index if there is no memory.
void UnexpectedQueue::index(Unexpected& message) noexcept {
  try {
    index_->add(message);
  } catch (const std::bad_alloc&) {
    index_->clear();
    index_.reset();
  }
}

void UnexpectedQueue::add(Unexpected& message) noexcept {
  list_.push_back(message);
  if (index_ != nullptr) index(message);
}

void UnexpectedQueue::remove(Unexpected& message) noexcept {
  List<Unexpected>::remove(message);
  if (index_ == nullptr) return;
  index_->remove(message);
  if (list_.empty()) index_.reset();
}

}  // namespace bowline::proto
