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
class HandlerError : public Error {
 public:
  HandlerError(std::shared_ptr<comm::ErrorHandler> handler_, void* object_, ErrorClass error_class, std::string text)
      : Error(error_class, std::move(text)), handler(std::move(handler_)), object(object_) {}
  std::shared_ptr<comm::ErrorHandler> handler;
  void* object;  ///< the user's handle of the object that the error belongs to; may be a null handle
};

/// A call of an error handler that the program asks for, as MPI_Comm_call_errhandler: no error of this call.
class HandlerCall final : public HandlerError {
 public:
  using HandlerError::HandlerError;
};

/// Raising has two steps, so that a handler may leave the call by an exception or by longjmp(): when the program's
/// function runs, the stack of this call holds no object that has a destructor, and no exception is in flight.
///
/// The first step ends the job if the handler says so, else notes the error for the second one. `object`: the user's
/// handle of the object that the error belongs to; handles of all kinds are pointers.
void raise_error(std::shared_ptr<comm::ErrorHandler> handler, void* object, int code, const std::string& text);
void raise_error(comm::Communicator& comm, int code, const std::string& text);
/// The handler of the error that this thread has just raised gets this code. The function returns the raised one.
void tell_handler(int code) noexcept;
/// The second step: calls the handler of the latest error of this thread, if it is a function of the program. Returns
/// the code that the failed function must return.
int deliver_error();

/// The handler of a communicator, and the handle that it gets.
HandlerCall call_of_handler(comm::Communicator& comm, int code, std::string text);

}  // namespace bowline::api
