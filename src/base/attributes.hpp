// SPDX-License-Identifier: BSD-3-Clause
// Attributes: what the user caches on a communicator, datatype or window (MPI-5.0, section 7.7).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace bowline {

/// A key made by the user. `object` is the user's handle of what the attribute is cached on. The functions return an
/// error code, 0 for success; they hold whatever context they need.
struct Keyval {
  using Copy = std::function<int(void* object, int key, void* value, void** copy, int* wanted)>;
  using Remove = std::function<int(void* object, int key, void* value)>;

  Copy copy;      ///< empty: a duplicate does not get the attribute
  Remove remove;  ///< empty: nothing has to be done
  int number = 0;
};

/// The keys of one kind of object. No other kind has the same numbers, so a key is never mistaken for one of another
/// kind. Thread-safe.
class KeyvalTable {
 public:
  /// The first number that is given out; smaller ones are predefined.
  static constexpr int first_number = 1024;

  int add(Keyval::Copy copy, Keyval::Remove remove);
  /// nullptr if the key does not exist or has been freed.
  std::shared_ptr<const Keyval> find(int number) const;
  /// Frees the key; existing attributes keep it. False if it does not exist.
  bool remove(int number);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<int, std::shared_ptr<const Keyval>> keys_;
};

/// The attributes of one object. A callback may use the object's attributes. If a callback fails, throws Error with the
/// callback's code and leaves that attribute unchanged.
class Attributes {
 public:
  bool empty() const noexcept { return entries_.empty(); }
  /// Whether the attribute exists; if so, sets `value` to its value.
  bool find(int key, void*& value) const noexcept;
  /// Deletes an existing value first.
  void set(std::shared_ptr<const Keyval> key, void* value, void* object);
  /// False if there is none.
  bool remove(int key, void* object);
  /// Removes all attributes, the last one that was set first.
  void remove_all(void* object);
  /// Copies to `target`, which has no attributes, those that a duplicate of `object` gets. If a copy fails, `target`
  /// keeps those copied before.
  void copy_to(Attributes& target, void* object) const;

 private:
  struct Entry {
    std::shared_ptr<const Keyval> key;
    void* value;
  };
  std::vector<Entry>::iterator position(int key) noexcept;

  std::vector<Entry> entries_;  ///< in the order of their setting
};

}  // namespace bowline
