// SPDX-License-Identifier: BSD-3-Clause
// Error handlers: how a communicator, session, window or file handles an error.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace bowline::comm {

/// Immutable. A handler lives as long as it is used; predefined handlers live always.
class ErrorHandler : public std::enable_shared_from_this<ErrorHandler> {
 public:
  enum class Action : std::uint8_t {
    end_job,    ///< MPI_ERRORS_ARE_FATAL: the whole job ends
    end_comm,   ///< MPI_ERRORS_ABORT: the processes of the communicator end
    to_caller,  ///< MPI_ERRORS_RETURN: the function returns the error class
    call_user,  ///< a function of the program is called
  };
  /// The kind of object to which an error handler may be attached.
  enum class Handles : std::uint8_t { any, communicator, window, file, session };
  /// `handle`: the address of the user's handle. May change the code that the failed function returns.
  using Function = void (*)(void* context, void* handle, int* code);

  constexpr ErrorHandler(std::string_view name, Action action) noexcept : name_(name), action_(action) {}
  /// One made by the program.
  ErrorHandler(Handles kind, Function function, void* context) noexcept
      : name_("the program's error handler"),
        action_(Action::call_user),
        kind_(kind),
        function_(function),
        context_(context) {}

  std::string_view name() const noexcept { return name_; }
  Action action() const noexcept { return action_; }
  bool fits(Handles kind) const noexcept { return kind_ == Handles::any || kind_ == kind; }
  void call(void* handle, int* code) const { function_(context_, handle, code); }

  /// A reference that keeps the handler alive.
  std::shared_ptr<ErrorHandler> share() noexcept;

  static ErrorHandler& are_fatal() noexcept;
  static ErrorHandler& abort() noexcept;
  static ErrorHandler& to_return() noexcept;

 private:
  std::string_view name_;
  Action action_;
  Handles kind_ = Handles::any;
  Function function_ = nullptr;
  void* context_ = nullptr;
};

/// The error handler of an object. Threads may exchange it while others read it.
class AttachedHandler {
 public:
  explicit AttachedHandler(ErrorHandler& handler) noexcept : handler_(handler.share()) {}

  std::shared_ptr<ErrorHandler> get() const;
  void set(ErrorHandler& handler);

 private:
  std::shared_ptr<ErrorHandler> handler_;
};

}  // namespace bowline::comm
