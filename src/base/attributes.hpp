// SPDX-License-Identifier: BSD-3-Clause
// Attributes: what the user caches on a communicator, datatype or window (MPI-5.0, section 7.7).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace bowline {

/// The value of an attribute, and how it was set. C sees a number that Fortran has set as the address of the number,
/// and Fortran sees a pointer that C has set as a number (MPI-5.0, section 19.3.7).
class AttributeValue {
 public:
  enum class SetAs : std::uint8_t {
    pointer,  ///< a void* of C
    integer,  ///< an INTEGER of Fortran
    address,  ///< an INTEGER(KIND=MPI_ADDRESS_KIND) of Fortran
  };

  AttributeValue(void* value) noexcept : bits_{value} {}  // NOLINT(google-explicit-constructor): C is the rule
  /// `bits`: the pointer, or the number converted to a pointer.
  static AttributeValue from(SetAs form, void* bits) noexcept;

  /// The value as a callback or a caller that handles values of this form sees it.
  void* as(SetAs form) const noexcept {
    return form == SetAs::pointer ? as_pointer() : reinterpret_cast<void*>(number());
  }
  /// The value as a pointer. Valid as long as this object, if the value is a number.
  void* as_pointer() const noexcept;
  std::intptr_t number() const noexcept;

 private:
  SetAs form_ = SetAs::pointer;
  union Bits {
    void* pointer;
    int integer;
    std::intptr_t address;
  };
  Bits bits_;
};

/// A key made by the user. `object` is the user's handle of the object on which the attribute is cached. The functions
/// return an error code, 0 for success; they hold whatever context they need. The functions get and return values of
/// the form `form`.
struct Keyval {
  using Copy = std::function<int(void* object, int key, void* value, void** copy, int* wanted)>;
  using Remove = std::function<int(void* object, int key, void* value)>;

  /// What a duplicate of the object gets.
  struct Copying {
    Copy ask;           ///< this function decides; if it is empty:
    bool same = false;  ///< whether the duplicate gets the same value, or no attribute
  };

  Copying copying;
  Remove remove;  ///< empty: nothing has to be done
  AttributeValue::SetAs form = AttributeValue::SetAs::pointer;
  int number = 0;
};

/// The keys of one kind of object. No other kind has the same numbers, so a key is never mistaken for a key of another
/// kind. Thread-safe.
class KeyvalTable {
 public:
  /// The first number of the user's keys; smaller numbers are predefined.
  static constexpr int first_number = 1024;

  /// Returns the number of the new key.
  int add(Keyval::Copying copying, Keyval::Remove remove, AttributeValue::SetAs form = AttributeValue::SetAs::pointer);
  /// The key with this number; nullptr if it does not exist or has been freed.
  std::shared_ptr<const Keyval> find(int number) const;
  /// Frees the key; existing attributes keep it. False if the key does not exist.
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
  /// The attribute's value; nullptr if there is none. Valid until the attribute is set again or deleted.
  const AttributeValue* find(int key) const noexcept;
  /// Whether the attribute exists; if so, sets `value` to its value as C sees it.
  bool find(int key, void*& value) const noexcept;
  /// Deletes an existing value first.
  void set(std::shared_ptr<const Keyval> key, AttributeValue value, void* object);
  /// Removes the attribute. False if there is none.
  bool remove(int key, void* object);
  /// Removes all attributes, the last one that was set first.
  void remove_all(void* object);
  /// Copies the attributes that a duplicate of `object` gets to `target`, which has none. If a copy fails, `target`
  /// keeps the attributes copied before.
  void copy_to(Attributes& target, void* object) const;

 private:
  struct Entry {
    std::shared_ptr<const Keyval> key;
    AttributeValue value;
  };
  std::list<Entry>::iterator position(int key) noexcept;

  /// In the order of their setting. A list, because C holds addresses of values.
  std::list<Entry> entries_;
};

}  // namespace bowline
