// SPDX-License-Identifier: BSD-3-Clause
#include "comm/errhandler.hpp"

#include <mutex>
#include <utility>

namespace bowline::comm {
namespace {

constinit std::mutex attaching;  // one mutex for all: errors and changes of error handlers are rare

}  // namespace

std::shared_ptr<ErrorHandler> ErrorHandler::share() noexcept {
  if (auto owned = weak_from_this().lock()) return owned;
  return {std::shared_ptr<void>(), this};  // a predefined handler, without an owner
}

ErrorHandler& ErrorHandler::are_fatal() noexcept {
  static constinit ErrorHandler handler("MPI_ERRORS_ARE_FATAL", Action::end_job);
  return handler;
}

ErrorHandler& ErrorHandler::abort() noexcept {
  static constinit ErrorHandler handler("MPI_ERRORS_ABORT", Action::end_comm);
  return handler;
}

ErrorHandler& ErrorHandler::to_return() noexcept {
  static constinit ErrorHandler handler("MPI_ERRORS_RETURN", Action::to_caller);
  return handler;
}

std::shared_ptr<ErrorHandler> AttachedHandler::get() const {
  const std::lock_guard hold(attaching);
  return handler_;
}

void AttachedHandler::set(ErrorHandler& handler) {
  std::shared_ptr<ErrorHandler> previous = handler.share();  // released after the lock
  const std::lock_guard hold(attaching);
  handler_.swap(previous);
}

}  // namespace bowline::comm
