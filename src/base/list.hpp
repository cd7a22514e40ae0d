// SPDX-License-Identifier: BSD-3-Clause
// An intrusive doubly linked list: elements carry their own links, so that queueing never allocates.
#pragma once

#include <cassert>

#include "base/diagnosis/layout_of.hpp"

namespace bowline {

/// The link that an element needs to be in one List at a time. An element that is in several lists at once derives from
/// several links with different tags.
template <class Tag>
struct Link {
  constexpr Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  bool linked() const noexcept { return next != nullptr; }

  Link* next = nullptr;
  Link* previous = nullptr;
};

/// The link of elements that are in one list only.
using ListNode = Link<void>;

/// A first-in first-out list of T, which derives from Link<Tag>. Owns nothing. Not thread-safe.
template <class T, class Tag = void>
class List {
  using Node = Link<Tag>;

 public:
  List() noexcept { head_.next = head_.previous = &head_; }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool empty() const noexcept { return head_.next == &head_; }
  T& front() noexcept { return static_cast<T&>(*head_.next); }
  T& back() noexcept { return static_cast<T&>(*head_.previous); }

  void push_back(T& element) noexcept {
    Node& node = element;
    assert(!node.linked());
    node.previous = head_.previous;
    node.next = &head_;
    head_.previous->next = &node;
    head_.previous = &node;
  }

  static void remove(T& element) noexcept {
    Node& node = element;
    node.previous->next = node.next;
    node.next->previous = node.previous;
    node.next = node.previous = nullptr;
  }

  T& pop_front() noexcept {
    T& element = front();
    remove(element);
    return element;
  }

  /// Appends all elements of `other` in their order; `other` becomes empty.
  void append(List& other) noexcept {
    while (!other.empty()) push_back(other.pop_front());
  }

  /// The oldest element that `accept` accepts; nullptr if there is none. Throws what `accept` throws.
  template <class Accept>
  T* find(Accept accept) {
    for (Node* node = head_.next; node != &head_; node = node->next) {
      T& element = static_cast<T&>(*node);
      if (accept(element)) return &element;
    }
    return nullptr;
  }

 private:
  template <class>
  friend struct LayoutOf;
  Node head_;
};

}  // namespace bowline
