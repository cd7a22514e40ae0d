// SPDX-License-Identifier: BSD-3-Clause
// ObjectVariable: what a tool may ask about one communicator, or about each network adapter. One declaration gives a
// variable its name; what it needs exists only while a tool has a handle of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/variable.hpp"

namespace bowline {

/// The values of a variable for one object. Any thread may read them at any time, one thread at a time.
class ObjectValues {
 public:
  virtual ~ObjectValues() = default;
  virtual std::size_t count() const noexcept = 0;
  /// To be called before the values are read.
  virtual void look() noexcept {}
  virtual std::uint64_t value(std::size_t index) const noexcept = 0;
};

class ObjectVariable {
 public:
  enum class Kind : std::uint8_t {
    size,     ///< grows; a handle counts from its start on
    counter,  ///< as `size`; tools look for it under this name
    level,    ///< grows and shrinks
  };
  enum class Object : std::uint8_t { none, communicator };
  /// The type of each value for tools.
  enum class Element : std::uint8_t { uint32, uint64 };

  ObjectVariable(const ObjectVariable&) = delete;
  ObjectVariable& operator=(const ObjectVariable&) = delete;

  Kind kind() const noexcept { return kind_; }
  Object object() const noexcept { return object_; }
  Element element() const noexcept { return element_; }
  Category category() const noexcept { return category_; }
  std::string_view name() const noexcept { return name_; }
  std::string_view help() const noexcept { return help_; }
  /// `handle`: the address of the handle of the object, if there is one. Throws Error if that is none.
  virtual std::unique_ptr<ObjectValues> of(const void* handle) const = 0;

 protected:
  constexpr ObjectVariable(Kind kind, Object object, Element element, Category category, std::string_view name,
                           std::string_view help)
      : kind_(kind), object_(object), element_(element), category_(category), name_(name), help_(help) {}
  ~ObjectVariable() = default;

 private:
  Kind kind_;
  Object object_;
  Element element_;
  Category category_;
  std::string_view name_;
  std::string_view help_;
};

}  // namespace bowline
