// SPDX-License-Identifier: BSD-3-Clause
// Datatype: the layout of typed data in memory.
//
// A Datatype is immutable once made, except its name and its commit state; safe to share between threads. Predefined
// types live as long as the process and are not counted. Derived types are reference-counted: the user's handles
// (MPI_Type_free releases one), types made from it, and pending operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/attributes.hpp"
#include "base/diagnosis/layout_of.hpp"
#include "base/reference_count.hpp"
#include "dtype/bounds.hpp"
#include "dtype/composition.hpp"
#include "dtype/element.hpp"
#include "dtype/envelope.hpp"
#include "dtype/section.hpp"

namespace bowline::dtype {

class Datatype;
class Layout;

/// A part of the data of a predefined datatype's element: `length` bytes at `offset` from the element's address.
struct Block {
  std::ptrdiff_t offset;
  std::size_t length;
};

/// Keeps a datatype alive.
class TypeRef {
 public:
  TypeRef() noexcept = default;
  explicit TypeRef(const Datatype& type) noexcept;
  TypeRef(const TypeRef& other) noexcept;
  TypeRef(TypeRef&& other) noexcept : type_(std::exchange(other.type_, nullptr)) {}
  TypeRef& operator=(TypeRef other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~TypeRef();

  const Datatype& operator*() const noexcept { return *type_; }
  const Datatype* operator->() const noexcept { return type_; }
  explicit operator bool() const noexcept { return type_ != nullptr; }

 private:
  friend class Datatype;
  const Datatype* type_ = nullptr;
};

class Datatype {
 public:
  /// A predefined type: `blocks` in the order of its type map.
  Datatype(std::string name, Element element, std::vector<Block> blocks, std::size_t extent);
  /// An unnamed predefined type with the layout of another type, for MPI_Type_create_f90_real and the like.
  Datatype(const Datatype& like, Envelope envelope);
  Datatype(const Datatype&) = delete;
  Datatype& operator=(const Datatype&) = delete;
  ~Datatype();

  /// A derived type, with one handle. `types`: the types that its constructor was given. `same_as`: the type with the
  /// same data; nullptr if the envelope describes blocks.
  static Datatype& make(Envelope envelope, std::vector<TypeRef> types, const Bounds& bounds,
                        const Datatype* same_as = nullptr);

  /// A view of a committed type, with one handle: see dtype/section.hpp.
  static Datatype& view(const Datatype& type, const Sections& sections);

  // ---- needed by every message

  /// Bytes of data in one element (MPI_Type_size); holes do not count.
  std::size_t size() const noexcept { return size_; }
  /// Bytes from one element to the next in an array (MPI_Type_get_extent).
  std::ptrdiff_t extent() const noexcept { return extent_; }
  bool committed() const noexcept { return committed_; }
  /// Whether an array of elements is one run of bytes, starting `origin()` bytes after its address.
  bool contiguous() const noexcept { return contiguous_; }
  std::ptrdiff_t origin() const noexcept { return origin_; }
  bool predefined() const noexcept { return predefined_; }
  /// The element of a predefined type; Element::count_ for all others.
  Element element() const noexcept { return element_; }

  // ---- the rest

  /// The name in MPI; empty if it has none.
  const char* name() const noexcept { return name_.c_str(); }
  void set_name(std::string name) { name_ = std::move(name); }
  /// A description for error messages: the type's name, or its constructor.
  std::string description() const;
  const Bounds& bounds() const noexcept { return bounds_; }
  const Envelope& envelope() const noexcept { return envelope_; }
  std::span<const TypeRef> types() const noexcept { return types_; }
  /// The parts of a predefined type; empty for all others.
  std::span<const Block> blocks() const noexcept { return blocks_; }
  /// The type with the same data, if this type is not made of blocks: the type that was duplicated, resized, or
  /// describes the array.
  const Datatype* same_as() const noexcept { return same_as_.type_; }

  /// The type that the user gave: for a view, the type from which the view was made.
  const Datatype& given() const noexcept { return sections_ == nullptr ? *this : *types_.front(); }
  /// The section in which data at this address lie; nullptr if it is an address of memory.
  const Section* section_of(const void* address) const noexcept {
    if (sections_ == nullptr || !Sections::is_virtual(address)) [[likely]]
      return nullptr;
    return &sections_->of(address);
  }

  /// Computes the layout; may be called again.
  void commit();
  /// The places of the data; for committed types only.
  const Layout& layout() const noexcept { return *layout_; }

  /// The attributes that the user caches on the type.
  Attributes& attributes() noexcept { return attributes_; }
  const Attributes& attributes() const noexcept { return attributes_; }

  // ---- lifetime

  /// Whether the user has a handle. May be called for memory that held a datatype before.
  bool alive() const noexcept { return mark_.load(std::memory_order_relaxed) == mark_of_life; }
  /// For an error message about an invalid handle: the name of the datatype that was there; empty if it had no name, or
  /// there was none.
  static std::string name_of_freed(const Datatype* handle);
  /// Adding and dropping handles: dropping the last handle invalidates it; the type lives on while it has references.
  bool last_handle() const noexcept { return handles_ == 1; }
  void add_handle() noexcept;
  void drop_handle() noexcept;
  void retain() const noexcept {
    if (!predefined_) [[unlikely]]
      references_.retain();
  }
  void release() const noexcept {
    if (!predefined_ && references_.release()) [[unlikely]]
      destroy();
  }

 private:
  friend class TypePool;
  template <class>
  friend struct bowline::LayoutOf;
  static constexpr std::uint32_t mark_of_life = 0xda7a717e;

  Datatype(Envelope envelope, std::vector<TypeRef> types, const Bounds& bounds, const Datatype* same_as);
  Datatype(const Datatype& type, const Sections& sections);
  void take_layout(std::shared_ptr<const Layout> layout);
  void destroy() const noexcept;

  std::size_t size_ = 0;
  std::ptrdiff_t extent_ = 0;
  std::ptrdiff_t origin_ = 0;
  const bool predefined_;
  bool committed_ = false;
  bool contiguous_ = false;
  Element element_ = Element::count_;
  Atomic<std::uint32_t> mark_ = mark_of_life;
  mutable ReferenceCount references_;  ///< all handles together hold one reference
  std::uint32_t handles_ = 1;
  std::shared_ptr<const Layout> layout_;
  Bounds bounds_;
  TypeRef same_as_;
  Envelope envelope_;
  std::vector<TypeRef> types_;
  std::vector<Block> blocks_;
  std::unique_ptr<const Sections> sections_;  ///< of a view
  std::string name_;
  Attributes attributes_;
};

inline TypeRef::TypeRef(const Datatype& type) noexcept : type_(&type) {
  type.retain();
}
inline TypeRef::TypeRef(const TypeRef& other) noexcept : type_(other.type_) {
  if (type_ != nullptr) type_->retain();
}
inline TypeRef::~TypeRef() {
  if (type_ != nullptr) type_->release();
}

/// Gathers `count` elements at `source` into `stream`, which holds count * type.size() bytes.
void pack(const Datatype& type, std::size_t count, const void* source, std::byte* stream);

/// Scatters the first `bytes` bytes of `stream` into elements at `target`. The last element may be partial.
void unpack(const Datatype& type, const std::byte* stream, std::size_t bytes, void* target);

}  // namespace bowline::dtype
