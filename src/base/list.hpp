// SPDX-License-Identifier: BSD-3-Clause
// An intrusive doubly linked list: elements carry their own links, so that queueing never allocates.
#pragma once

#include <cassert>

namespace bowline {

/// Base of everything that can stand in one List at a time.
struct ListNode {
  constexpr ListNode() = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;

  bool linked() const noexcept { return next != nullptr; }

  ListNode* next = nullptr;
  ListNode* previous = nullptr;
};

/// A first-in first-out list of T, which derives from ListNode. Owns nothing. Not thread-safe.
template <class T>
class List {
 public:
  List() noexcept { head_.next = head_.previous = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool empty() const noexcept { return head_.next == &head_; }
  T& front() noexcept { return static_cast<T&>(*head_.next); }

  void push_back(T& element) noexcept {
    ListNode& node = element;
    assert(!node.linked());
    node.previous = head_.previous;
    node.next = &head_;
    head_.previous->next = &node;
    head_.previous = &node;
  }

  static void remove(T& element) noexcept {
    ListNode& node = element;
    node.previous->next = node.next;
    node.next->previous = node.previous;
    node.next = node.previous = nullptr;
  }

  T& pop_front() noexcept {
    T& element = front();
    remove(element);
    return element;
  }

  /// The first element that `accept` takes, from the oldest on; nullptr if there is none.
  template <class Accept>
  T* find(Accept accept) noexcept {
    for (ListNode* node = head_.next; node != &head_; node = node->next) {
      T& element = static_cast<T&>(*node);
      if (accept(element)) return &element;
    }
    return nullptr;
  }

 private:
  ListNode head_;
};

}  // namespace bowline
