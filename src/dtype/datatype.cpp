// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/datatype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/pool.hpp"
#include "dtype/cursor.hpp"
#include "dtype/flatten.hpp"
#include "dtype/layout.hpp"

namespace bowline::dtype {
namespace {

/// Bounds of a predefined type. A type of two equal parts (complex) or of a value and an index is aligned like its
/// larger part, which fills half its extent.
Bounds bounds_of_basic(Element element, std::span<const Block> blocks, std::size_t extent) {
  const bool complex = element >= Element::c16 && element <= Element::c128;
  const bool pair = element >= Element::f32_i32 && element < Element::count_;
  Bounds bounds;
  for (const Block& block : blocks) bounds.size += static_cast<std::int64_t>(block.length);
  bounds.elements = pair ? 2 : 1;
  bounds.ub = static_cast<std::int64_t>(extent);
  bounds.true_lb = blocks.front().offset;
  bounds.true_ub = blocks.back().offset + static_cast<std::int64_t>(blocks.back().length);
  bounds.alignment = complex || pair ? bounds.ub / 2 : bounds.ub;
  bounds.element = element;
  return bounds;
}

}  // namespace

/// The pool of derived types. It never returns memory to the system, so that a freed handle can be recognized. All
/// threads share it, because any thread may release a type last.
class TypePool {
 public:
  static TypePool& the() {
    static TypePool& pool = *new TypePool;  // never destroyed: objects may refer to types until the process ends
    return pool;
  }

  template <class... Args>
  Datatype& make(Args&&... args) {
    const std::lock_guard hold(mutex_);
    Datatype& type = *pool_.make(Maker{}, std::forward<Args>(args)...);
    if (!names_.empty()) names_.erase(&type);
    return type;
  }

  void destroy(Datatype& type) noexcept {
    const std::lock_guard hold(mutex_);
    pool_.destroy(static_cast<Made*>(&type));
  }

  /// Records the name of a type whose handle has become invalid, until the memory is used again.
  void note_freed(const Datatype& type) noexcept {
    constexpr std::size_t most = 1024;
    if (type.name_.empty()) return;
    const std::lock_guard hold(mutex_);
    try {
      if (names_.size() < most) names_.emplace(&type, type.name_);
    } catch (const std::bad_alloc&) {
      // Without memory an error message will lack the name.
    }
  }
  std::string name_of_freed(const Datatype* handle) {
    const std::lock_guard hold(mutex_);
    const auto found = names_.find(handle);
    return found == names_.end() ? std::string() : found->second;
  }

 private:
  struct Maker {};
  /// Gives the pool access to the constructor.
  struct Made : Datatype {
    template <class... Args>
    explicit Made(Maker, Args&&... args) : Datatype(std::forward<Args>(args)...) {}
  };

  std::mutex mutex_;
  Pool<Made> pool_;
  std::unordered_map<const Datatype*, std::string> names_;  ///< of types whose handles are invalid
};

Datatype::Datatype(std::string name, Element element, std::vector<Block> blocks, std::size_t extent)
    : predefined_(true),
      element_(element),
      bounds_(bounds_of_basic(element, blocks, extent)),
      blocks_(std::move(blocks)),
      name_(std::move(name)) {
  size_ = static_cast<std::size_t>(bounds_.size);
  extent_ = bounds_.extent();
  take_layout(flatten(*this));
}

Datatype::Datatype(const Datatype& like, Envelope envelope)
    : size_(like.size_),
      extent_(like.extent_),
      predefined_(true),
      element_(like.element_),
      bounds_(like.bounds_),
      envelope_(std::move(envelope)),
      blocks_(like.blocks_) {
  take_layout(like.layout_);
}

Datatype::Datatype(Envelope envelope, std::vector<TypeRef> types, const Bounds& bounds, const Datatype* same_as)
    : size_(static_cast<std::size_t>(bounds.size)),
      extent_(bounds.extent()),
      predefined_(false),
      bounds_(bounds),
      envelope_(std::move(envelope)),
      types_(std::move(types)) {
  if (same_as != nullptr) same_as_ = TypeRef(*same_as);
}

// A view is never contiguous, so that no one uses the virtual addresses as memory.
Datatype::Datatype(const Datatype& type, const Sections& sections)
    : size_(type.size_),
      extent_(type.extent_),
      predefined_(false),
      committed_(true),
      element_(type.element_),
      layout_(type.layout_),
      bounds_(type.bounds_),
      types_{TypeRef(type)},
      sections_(std::make_unique<const Sections>(sections)) {}

Datatype::~Datatype() {
  mark_ = 0;
}

Datatype& Datatype::make(Envelope envelope, std::vector<TypeRef> types, const Bounds& bounds, const Datatype* same_as) {
  return TypePool::the().make(std::move(envelope), std::move(types), bounds, same_as);
}

Datatype& Datatype::view(const Datatype& type, const Sections& sections) {
  return TypePool::the().make(type, sections);
}

std::string Datatype::description() const {
  if (sections_ != nullptr) return given().description();
  if (!name_.empty()) return name_;
  return fmt::format("without a name made with {}", constructor_name(envelope_.combiner));
}

std::string Datatype::name_of_freed(const Datatype* handle) {
  return TypePool::the().name_of_freed(handle);
}

void Datatype::commit() {
  if (committed_) return;
  take_layout(same_as_ && same_as_->committed_ ? same_as_->layout_ : flatten(*this));
}

void Datatype::take_layout(std::shared_ptr<const Layout> layout) {
  layout_ = std::move(layout);
  contiguous_ = size_ == 0 || (layout_->is_run() && extent_ == static_cast<std::ptrdiff_t>(size_));
  origin_ = contiguous_ ? layout_->root().offset : 0;
  committed_ = true;
}

void Datatype::add_handle() noexcept {
  if (predefined_) return;
  if (handles_++ > 0) return;
  retain();
  mark_ = mark_of_life;
}

void Datatype::drop_handle() noexcept {
  if (predefined_ || --handles_ > 0) return;
  mark_ = 0;
  TypePool::the().note_freed(*this);
  release();
}

/// Destroys the type after its last reference, and the types of which it was made if these have no other references.
/// The function uses a loop instead of recursion, because the nesting may be deep. It needs no memory: a type that is
/// to be destroyed links to the next one by same_as_.
void Datatype::destroy() const noexcept {
  const Datatype* dying = nullptr;
  const auto doom = [&dying](const Datatype* unused) {
    auto& type = const_cast<Datatype&>(*unused);  // lives in the pool, which holds no constants
    return std::exchange(type.same_as_.type_, std::exchange(dying, unused));
  };
  const auto release = [&doom](const Datatype* type) {
    while (type != nullptr && !type->predefined_ && type->references_.release()) type = doom(type);
  };
  release(doom(this));
  while (dying != nullptr) {
    auto& type = const_cast<Datatype&>(*dying);
    dying = std::exchange(type.same_as_.type_, nullptr);
    for (TypeRef& part : type.types_) release(std::exchange(part.type_, nullptr));
    TypePool::the().destroy(type);
  }
}

void pack(const Datatype& type, std::size_t count, const void* source, std::byte* stream) {
  Cursor(type, count, source).pack({stream, count * type.size()});
}

void unpack(const Datatype& type, const std::byte* stream, std::size_t bytes, void* target) {
  Cursor(type, Cursor::unbounded, target).unpack({stream, bytes});
}

}  // namespace bowline::dtype
