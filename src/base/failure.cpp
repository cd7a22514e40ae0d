// SPDX-License-Identifier: BSD-3-Clause
#include "base/failure.hpp"

#include <exception>
#include <new>

namespace bowline {

/// The shared error is made when the library is loaded, because it is needed when no memory is left.
Failure::Shared* const Failure::no_memory =
    new Shared{1, Error(ErrorClass::no_mem, "no memory is left: use less per process, or fewer processes per node")};

Failure::Failure(const Error& error) noexcept {
  try {
    shared_ = new Shared{1, error};
  } catch (const std::bad_alloc&) {
    shared_ = no_memory;
    retain();
  }
}

Failure Failure::current() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& error) {
    return of([&] { return Error(ErrorClass::intern, error.what()); });
  } catch (...) {
    return of([] { return Error(ErrorClass::intern, "an exception of an unknown type was thrown"); });
  }
  Failure none;
  none.shared_ = no_memory;
  none.retain();
  return none;
}

void Failure::drop() noexcept {
  if (shared_->users.release()) delete shared_;
  shared_ = nullptr;
}

}  // namespace bowline
