// SPDX-License-Identifier: BSD-3-Clause
// Raising: errors that belong to something else than the call's communicator, and how an error reaches its handler.
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

/// An error that belongs to a communicator which the call does not name: that of a request.
class CommError : public Error {
 public:
  CommError(comm::Communicator& comm_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), comm(comm_) {}
  comm::Communicator& comm;
};

/// The errors of several requests, which their statuses tell.
class ErrorsInStatus final : public CommError {
 public:
  ErrorsInStatus(comm::Communicator& comm_, std::string text, std::vector<ErrorSentence> each_)
      : CommError(comm_, ErrorClass::in_status, std::move(text)), each(std::move(each_)) {}
  std::vector<ErrorSentence> each;  ///< as they stand in the statuses
};

/// An error that goes to another error handler than that of a communicator: a session's, or one that the call names.
class HandlerError final : public Error {
 public:
  HandlerError(std::shared_ptr<comm::ErrorHandler> handler_, void* object_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), handler(std::move(handler_)), object(object_) {}
  std::shared_ptr<comm::ErrorHandler> handler;
  void* object;  ///< the user's handle of what the error belongs to, null handles included
};

/// Hands an error to an error handler; returns the code that the failed function returns, if the handler returns.
/// `handle`: the address of the user's handle of what the error belongs to.
int raise_error(comm::ErrorHandler& handler, void* handle, int code, const std::string& text);
int raise_error(comm::Communicator& comm, int code, const std::string& text);

}  // namespace bowline::api
