// SPDX-License-Identifier: BSD-3-Clause
#include "proto/match.hpp"

namespace bowline::proto {

// ---- receives

/// Looks from the front on. If that was far, the next search goes by an index.
ReceiveRequest* PostedQueue::walk(transport::Header header) {
  std::size_t passed = 0;
  ReceiveRequest* const found = list_.find([&](const ReceiveRequest& receive) {
    ++passed;
    return receive.accepts(header);
  });
  if (passed <= walked_at_most) return found;
  index_ = std::make_unique<Index>();
  list_.find([this](ReceiveRequest& receive) {
    index_->add(key_of(receive), receive);
    return false;
  });
  return found;
}

ReceiveRequest* PostedQueue::find_indexed(transport::Header header) noexcept {
  ReceiveRequest* oldest = nullptr;
  for (const int source : {header.source, any_source}) {
    for (const int tag : {header.tag, any_tag}) {
      ReceiveRequest* const found = index_->oldest(match_key(source, tag));
      if (found != nullptr && (oldest == nullptr || found->order < oldest->order)) oldest = found;
    }
  }
  return oldest;
}

// ---- messages

void UnexpectedQueue::Index::add(Unexpected& message) {
  const auto& [context, source, tag, kind, unused] = message.header;
  exact.add(match_key(source, tag), message);
  by_source.add(match_key(source, any_tag), message);
  by_tag.add(match_key(any_source, tag), message);
}

void UnexpectedQueue::Index::remove(Unexpected& message) noexcept {
  const auto& [context, source, tag, kind, unused] = message.header;
  exact.remove(match_key(source, tag), message);
  by_source.remove(match_key(source, any_tag), message);
  by_tag.remove(match_key(any_source, tag), message);
}

Unexpected* UnexpectedQueue::find(int source, int tag) {
  if (list_.empty()) return nullptr;
  if (source == any_source && tag == any_tag) return &list_.front();
  if (index_ == nullptr) return walk(source, tag);
  if (source == any_source) return index_->by_tag.oldest(match_key(any_source, tag));
  if (tag == any_tag) return index_->by_source.oldest(match_key(source, any_tag));
  return index_->exact.oldest(match_key(source, tag));
}

/// As PostedQueue::walk.
Unexpected* UnexpectedQueue::walk(int source, int tag) {
  std::size_t passed = 0;
  Unexpected* const found = list_.find([&](const Unexpected& message) {
    ++passed;
    return (source == message.header.source || source == any_source) && (tag == message.header.tag || tag == any_tag);
  });
  if (passed <= walked_at_most) return found;
  index_ = std::make_unique<Index>();
  list_.find([this](Unexpected& each) {
    index_->add(each);
    return false;
  });
  return found;
}

void UnexpectedQueue::add(Unexpected& message) {
  list_.push_back(message);
  if (index_ != nullptr) index_->add(message);
}

void UnexpectedQueue::remove(Unexpected& message) noexcept {
  List<Unexpected>::remove(message);
  if (index_ == nullptr) return;
  index_->remove(message);
  if (list_.empty()) index_.reset();
}

}  // namespace bowline::proto
