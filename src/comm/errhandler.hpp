// SPDX-License-Identifier: BSD-3-Clause
// Error handlers: what happens to an error that a communicator hears of.
#pragma once

#include <cstdint>
#include <string_view>

namespace bowline::comm {

/// An immutable error handler. So far the three predefined ones.
class ErrorHandler {
 public:
  enum class Action : std::uint8_t {
    end_job,    ///< MPI_ERRORS_ARE_FATAL: the whole job ends
    end_comm,   ///< MPI_ERRORS_ABORT: the processes of the communicator end
    to_caller,  ///< MPI_ERRORS_RETURN: the function returns the error class
  };

  constexpr ErrorHandler(std::string_view name, Action action) noexcept : name_(name), action_(action) {}

  std::string_view name() const noexcept { return name_; }
  Action action() const noexcept { return action_; }

  static ErrorHandler& are_fatal() noexcept;
  static ErrorHandler& abort() noexcept;
  static ErrorHandler& to_return() noexcept;

 private:
  std::string_view name_;
  Action action_;
};

}  // namespace bowline::comm
