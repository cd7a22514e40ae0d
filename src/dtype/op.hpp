// SPDX-License-Identifier: BSD-3-Clause
// Op: reduction operators, predefined (MPI-5.0, section 6.9) and user-defined.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/atomic.hpp"
#include "base/reference_count.hpp"
#include "dtype/datatype.hpp"

namespace bowline::dtype {

enum class Operator : std::uint8_t {
  sum,
  min,
  max,
  prod,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  replace,
  no_op,
  count_
};

inline constexpr std::size_t operator_count = static_cast<std::size_t>(Operator::count_);

/// inout[i] = in[i] (op) inout[i] for `count` elements. The buffers do not overlap.
using Kernel = void (*)(const void* in, void* inout, std::size_t count);

/// The fastest kernel on this processor for an operator on each element; nullptr if the operator is not available
/// there, and for Element::count_.
using KernelRow = std::array<Kernel, element_count + 1>;
const KernelRow& kernels_of(Operator op) noexcept;

/// `yes`: predefined operators work only on the types for which the standard defines them. By default they also work
/// where other libraries accept them (`understood` in dtype/groups.hpp). Must not be called while an operator is in
/// use.
void keep_operators_to_the_standard(bool yes) noexcept;

inline Kernel find_kernel(Operator op, Element element) noexcept {
  return kernels_of(op)[static_cast<std::size_t>(element)];
}

/// A user's function that combines `count` elements of `type` like a kernel. `context` tells the function that MPI
/// calls which user function of which language it must call.
struct UserFunction {
  void (*call)(void* context, const void* in, void* inout, std::size_t count, const Datatype& type);
  void* context;
  void (*release)(void* context) = nullptr;  ///< called with the last reference to the operator
};

/// Predefined operators live as long as the process. User-defined operators are reference-counted: the handle is one
/// reference, every pending operation another. Shared between threads.
class Op {
 public:
  Op(const char* name, Operator op) noexcept
      : name_(name), op_(op), kernels_(&kernels_of(op)), reduces_(is_reduction(op)) {}
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;

  /// A user-defined operator with one handle. It is associative.
  static Op& make(UserFunction function, bool commutative);

  const char* name() const noexcept { return name_; }
  bool predefined() const noexcept { return kernels_ != nullptr; }
  /// Which predefined operator it is; Operator::count_ if none.
  Operator predefined_as() const noexcept { return op_; }
  bool commutative() const noexcept { return predefined() ? reduces_ : commutative_; }
  /// Whether the operator can reduce data of this type: a user-defined operator reduces any type, a predefined operator
  /// the predefined types for which it is available. MPI_REPLACE and MPI_NO_OP reduce nothing.
  bool supports(const Datatype& type) const noexcept {
    return !predefined() || (reduces_ && (accumulates(type) || locates(type)));
  }
  /// Whether one-sided operations can accumulate data of this predefined type with the operator (MPI-5.0, section
  /// 12.3.4).
  bool accumulates(const Datatype& type) const noexcept {
    return predefined() && (*kernels_)[static_cast<std::size_t>(type.element())] != nullptr;
  }

  /// Whether the operator is MPI_MINLOC or MPI_MAXLOC, and the type is an unnamed pair.
  bool locates(const Datatype& type) const noexcept;

  /// Whether a predefined operator works on this type beyond the standard.
  bool understood_on(const Datatype& type) const noexcept;

  /// For an error message: the types that the standard allows for a predefined operator.
  const char* domain() const noexcept;

  /// inout = in (op) inout, element by element. supports() or accumulates() must be true for the type.
  void apply(const void* in, void* inout, std::size_t count, const Datatype& type) const;

  /// Whether the user has a handle. May be called for any address that was a handle before.
  bool alive() const noexcept { return mark_.load(std::memory_order_relaxed) == mark_of_life; }
  /// Invalidates the handle; the last reference destroys the operator.
  void drop_handle() noexcept;
  void retain() const noexcept {
    if (!predefined()) references_.retain();
  }
  void release() const noexcept;

 private:
  friend class OpPool;
  static constexpr std::uint32_t mark_of_life = 0x0bea7a11;
  static constexpr bool is_reduction(Operator op) noexcept { return op != Operator::replace && op != Operator::no_op; }
  Op() noexcept = default;

  Atomic<std::uint32_t> mark_ = mark_of_life;
  mutable ReferenceCount references_;
  const char* name_ = "a user-defined operator";
  Operator op_ = Operator::count_;
  const KernelRow* kernels_ = nullptr;  ///< kernels of a predefined operator
  bool reduces_ = true;
  bool commutative_ = false;  ///< whether a user-defined operator commutes
  UserFunction function_{};
};

/// Keeps an operator alive.
class OpRef {
 public:
  explicit OpRef(const Op& op) noexcept : op_(&op) { op.retain(); }
  OpRef(const OpRef& other) noexcept : OpRef(*other.op_) {}
  OpRef& operator=(const OpRef&) = delete;
  ~OpRef() { op_->release(); }
  const Op& operator*() const noexcept { return *op_; }
  const Op* operator->() const noexcept { return op_; }

 private:
  const Op* op_;
};

}  // namespace bowline::dtype
