// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/op.hpp"

#include <bit>
#include <deque>
#include <mutex>
#include <vector>

#include "dtype/groups.hpp"
#include "dtype/native.hpp"
#include "dtype/value_index.hpp"

namespace bowline::dtype {
namespace {

constexpr std::size_t line = 64;        // also the size of the widest vector; no element is longer
constexpr std::size_t long_run = 4096;  // bytes from which aligning the vectors pays

/// A vector across two cache lines costs two accesses, and memory from malloc is never aligned to a cache line, because
/// its first 16 bytes belong to malloc. So the elements up to the next line are combined first.
void run(Kernel kernel, Element element, const void* in, void* inout, std::size_t count) {
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(inout) % line;
  const std::size_t size = native_size(element);
  if (past_line != 0 && count * size >= long_run && std::has_single_bit(size)) {
    const std::size_t head = (line - past_line) / size;
    kernel(in, inout, head);
    in = static_cast<const std::byte*>(in) + head * size;
    inout = static_cast<std::byte*>(inout) + head * size;
    count -= head;
  }
  kernel(in, inout, count);
}

}  // namespace

/// The pool never returns the memory of operators to the system, so that the handle of a freed operator can be
/// recognized.
class OpPool {
 public:
  Op& make(UserFunction function, bool commutative) {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) free_.push_back(&all_.emplace_back());
    Op& op = *free_.back();
    free_.pop_back();
    op.function_ = function;
    op.commutative_ = commutative;
    op.references_.restart();
    op.mark_.store(Op::mark_of_life, std::memory_order_relaxed);
    return op;
  }

  void take_back(const Op& op) {
    const std::lock_guard lock(mutex_);
    free_.push_back(const_cast<Op*>(&op));
  }

 private:
  struct Slot : Op {
    Slot() noexcept : Op() {}
  };
  std::mutex mutex_;
  std::deque<Slot> all_;
  std::vector<Op*> free_;
};

namespace {

OpPool& pool() {
  static auto* const the_pool = new OpPool;  // never destroyed: handles may be used while the process ends
  return *the_pool;
}

}  // namespace

Op& Op::make(UserFunction function, bool commutative) {
  return pool().make(function, commutative);
}

void Op::drop_handle() noexcept {
  mark_.store(0, std::memory_order_relaxed);
  release();
}

void Op::release() const noexcept {
  if (predefined() || !references_.release()) return;
  if (function_.release != nullptr) function_.release(function_.context);
  pool().take_back(*this);
}

bool Op::locates(const Datatype& type) const noexcept {
  return (op_ == Operator::minloc || op_ == Operator::maxloc) && is_value_index(type.given());
}

bool Op::understood_on(const Datatype& type) const noexcept {
  return predefined() && understood(op_, type.element());
}

const char* Op::domain() const noexcept {
  switch (op_) {
    case Operator::max:
    case Operator::min:
      return "integers and floating-point numbers";
    case Operator::sum:
    case Operator::prod:
      return "integers, floating-point and complex numbers";
    case Operator::land:
    case Operator::lor:
    case Operator::lxor:
      return "C integers and logical values";
    case Operator::band:
    case Operator::bor:
    case Operator::bxor:
      return "integers and MPI_BYTE";
    case Operator::minloc:
    case Operator::maxloc:
      return "pairs of a value and an index, such as MPI_DOUBLE_INT or those of MPI_Type_get_value_index";
    default:
      return "nothing outside of one-sided communication";
  }
}

void Op::apply(const void* in, void* inout, std::size_t count, const Datatype& type) const {
  if (predefined()) {
    const Kernel kernel = (*kernels_)[static_cast<std::size_t>(type.element())];
    if (kernel == nullptr) [[unlikely]]
      return locate(op_ == Operator::minloc, in, inout, count, type);
    return run(kernel, type.element(), in, inout, count);
  }
  if (count > 0) function_.call(function_.context, in, inout, count, type);
}

}  // namespace bowline::dtype
