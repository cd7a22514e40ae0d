// SPDX-License-Identifier: BSD-3-Clause
// Raising: errors that do not belong to the call's communicator, and the call of an error handler.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/error_sentences.hpp"
#include "comm/communicator.hpp"
#include "comm/errhandler.hpp"

namespace bowline::api {

/// An error of a communicator that is not an argument of the call: the communicator of a request.
class CommError : public Error {
 public:
  CommError(comm::Communicator& comm_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), comm(comm_) {}
  comm::Communicator& comm;
};

/// The errors of several requests, which their statuses contain (MPI_ERR_IN_STATUS).
class ErrorsInStatus final : public CommError {
 public:
  ErrorsInStatus(comm::Communicator& comm_, std::string text, std::vector<ErrorSentence> each_)
      : CommError(comm_, ErrorClass::in_status, std::move(text)), each(std::move(each_)) {}
  std::vector<ErrorSentence> each;  ///< of the failed requests, in the order of the statuses
};

/// An error that does not go to the error handler of a communicator, but to the error handler of a session or to an
/// error handler that is an argument of the call.
class HandlerError final : public Error {
 public:
  HandlerError(std::shared_ptr<comm::ErrorHandler> handler_, void* object_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), handler(std::move(handler_)), object(object_) {}
  std::shared_ptr<comm::ErrorHandler> handler;
  void* object;  ///< the user's handle of the object that the error belongs to; may be a null handle
};

/// Calls an error handler. If it returns, returns the code that the failed function must return. `handle`: the address
/// of the user's handle of the object that the error belongs to.
int raise_error(comm::ErrorHandler& handler, void* handle, int code, const std::string& text);
int raise_error(comm::Communicator& comm, int code, const std::string& text);

}  // namespace bowline::api
