// SPDX-License-Identifier: BSD-3-Clause
#include "comm/errhandler.hpp"

namespace bowline::comm {

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

}  // namespace bowline::comm
