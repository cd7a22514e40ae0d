// SPDX-License-Identifier: BSD-3-Clause
// Call: the way of an error from where it was thrown to the error handler.
#include "api/entry/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "api/entry/errhandler_handles.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/errors.hpp"
#include "base/error.hpp"
#include "base/error_sentences.hpp"
#include "base/log.hpp"

namespace bowline::api {
namespace {

constexpr const char* no_memory = "no memory is left: use less per process, or fewer processes per node";
constexpr const char* no_memory_for_words =
    "no memory left";  // short enough for a string that needs no allocated memory
constexpr const char* not_implemented = "not implemented in this version of Bowline (see bowline-info --coverage)";

/// For errors when MPI is not running, so that no communicator has a handler, and the initial error handler is fatal.
[[noreturn]] void end_process(ErrorClass error_class, const std::string& text) {
  std::fflush(nullptr);  // shows the program's output before the error
  log::error("{}", text);
  std::_Exit(static_cast<int>(error_class));
}

/// The communicator whose error handler is called for errors in calls without a communicator: MPI_COMM_SELF (MPI-5.0,
/// section 9.3). Until MPI-4.0 that was MPI_COMM_WORLD, and many programs set a handler only there; other libraries
/// then call the handler of MPI_COMM_WORLD.
comm::Communicator& of_no_communicator() noexcept {
  comm::Communicator& self = this_process().self();
  comm::Communicator* const world = this_process().world();
  const bool only_there = world != nullptr && world->error_handler_chosen() && !self.error_handler_chosen();
  return only_there && !check::strict() ? *world : self;
}

/// Has `keep` note the sentences of an error for MPI_Error_string and return the first one. If there is no memory for
/// the sentences, MPI_Error_string has the general sentence of the class, and the words "no memory left" must do.
template <class Keep>
std::string keep_sentences(Keep keep) noexcept {
  try {
    return keep();
  } catch (const std::bad_alloc&) {
    remember_errors({});
    return no_memory_for_words;
  }
}

HandlerError error_for(comm::ErrorHandler& handler, void* object, ErrorClass error_class, const char* text) noexcept {
  try {
    return {handler.share(), object, error_class, text};
  } catch (const std::bad_alloc&) {
    return {handler.share(), object, error_class, no_memory_for_words};
  }
}

}  // namespace

void Call::refuse_unless_running() {
  if (this_process().running()) return;
  throw Error(ErrorClass::other, fmt::format("was called {}: it is allowed between MPI_Init or MPI_Init_thread and "
                                             "MPI_Finalize only",
                                             this_process().finalized() ? "after MPI_Finalize" : "before MPI_Init"));
}

void Call::bad_comm(MPI_Comm handle, const char* name) {
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) {
    throw Error(ErrorClass::comm,
                fmt::format("{} is {}, which exists between MPI_Init and MPI_Finalize only: sessions have "
                            "communicators of their own",
                            name, handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF"));
  }
  if (handle == MPI_COMM_NULL) {
    throw Error(ErrorClass::comm,
                fmt::format("{} is MPI_COMM_NULL: give a communicator that this process belongs to", name));
  }
  throw Error(ErrorClass::comm,
              fmt::format("{} is {}, which is no communicator: it was freed, never set, or is another "
                          "kind of handle",
                          name, fmt::ptr(static_cast<const void*>(handle))));
}

void Call::bad_win(MPI_Win handle, const char* name) {
  if (handle == MPI_WIN_NULL) throw Error(ErrorClass::win, fmt::format("{} is MPI_WIN_NULL: give a window", name));
  throw Error(ErrorClass::win,
              fmt::format("{} is {}, which is no window: it was freed, never set, or is another kind of "
                          "handle",
                          name, fmt::ptr(static_cast<const void*>(handle))));
}

void Call::bad_file(MPI_File handle, const char* name) {
  if (handle == MPI_FILE_NULL)
    throw Error(ErrorClass::file, fmt::format("{} is MPI_FILE_NULL: give a file opened by MPI_File_open", name));
  throw Error(ErrorClass::file, fmt::format("{} is {}, which is no open file: it was closed, never set, or is another "
                                            "kind of handle",
                                            name, fmt::ptr(static_cast<const void*>(handle))));
}

void Call::failed() {
  try {
    throw;
  } catch (const ErrorsInStatus& error) {
    comm_ = &error.comm;
    note(error);
  } catch (const CommError& error) {
    comm_ = &error.comm;
    note(error.error_class(), error.what());
  } catch (const HandlerCall& call) {
    note(call);
  } catch (const HandlerError& error) {
    note(error);
  } catch (const Error& error) {
    note(error.error_class(), error.what());
  } catch (const std::bad_alloc&) {
    note(ErrorClass::no_mem, no_memory);
  } catch (const std::exception& error) {
    note(ErrorClass::intern, error.what());
  }
}

void Call::failed(MPI_Errhandler handler, comm::ErrorHandler::Handles kind, void* null) {
  comm::ErrorHandler* const found = find_errhandler(handler);
  if (found == nullptr || !found->fits(kind)) return failed();
  try {
    throw;
  } catch (const Error& error) {
    note(error_for(*found, null, error.error_class(), error.what()));
  } catch (const std::bad_alloc&) {
    note(error_for(*found, null, ErrorClass::no_mem, no_memory));
  } catch (...) {
    failed();
  }
}

int Call::raise() const {
  const int code = deliver_error();
  return asked_for_ ? MPI_SUCCESS : code;
}

int Call::failed_silently() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return static_cast<int>(error.error_class());
  } catch (const std::bad_alloc&) {
    return MPI_T_ERR_MEMORY;
  } catch (...) {
    return MPI_ERR_INTERN;
  }
}

int Call::unsupported(MPI_Comm comm) {
  if (this_process().running()) comm_ = find_comm(comm);
  note(ErrorClass::unsupported_operation, not_implemented);
  return raise();
}

int Call::unsupported_file() {
  remember_errors({{MPI_ERR_UNSUPPORTED_OPERATION, sentence(not_implemented)}});
  return MPI_ERR_UNSUPPORTED_OPERATION;
}

void Call::unlock() noexcept {
  if (std::exchange(locked_, false)) this_process().lock().release();
}

std::string Call::sentence(const char* text) const {
  return fmt::format("{}: {}", function_, text);
}

void Call::note(const HandlerError& error) {
  const int code = static_cast<int>(error.error_class());
  const std::string told = keep_sentences([&] {
    std::string text = sentence(error.what());
    remember_errors({{code, text}});
    return text;
  });
  const auto action = error.handler->action();
  const bool fatal = action == comm::ErrorHandler::Action::end_job || action == comm::ErrorHandler::Action::end_comm;
  if (fatal && !this_process().running()) end_process(error.error_class(), told);
  unlock();
  raise_error(error.handler, error.object, code, told);
}

void Call::note(const HandlerCall& call) {
  asked_for_ = true;
  unlock();
  raise_error(call.handler, call.object, static_cast<int>(call.error_class()), call.what());
}

void Call::note(const ErrorsInStatus& error) {
  const std::string told = keep_sentences([&] {
    std::string text = sentence(error.what());
    std::vector<ErrorSentence> all = {{static_cast<int>(error.error_class()), text}};
    for (const ErrorSentence& each : error.each) all.push_back({each.code, sentence(each.text.c_str())});
    remember_errors(std::move(all));
    return text;
  });
  note_sentence(error.error_class(), told);
  // Programs that survive losses decide in the handler what to do, by the class that it gets.
  const auto tells_of_a_loss = [](const ErrorSentence& each) {
    const auto error_class = static_cast<ErrorClass>(each.code);
    return tells_loss(error_class) || error_class == ErrorClass::proc_failed_pending;
  };
  const auto loss = std::ranges::find_if(error.each, tells_of_a_loss);
  if (loss != error.each.end()) tell_handler(loss->code);
}

void Call::note(ErrorClass error_class, const char* text) {
  const std::string told = keep_sentences([&] {
    std::string text_of_call = sentence(text);
    remember_errors({{static_cast<int>(error_class), text_of_call}});
    return text_of_call;
  });
  note_sentence(error_class, told);
}

void Call::note_sentence(ErrorClass error_class, const std::string& sentence) {
  unlock();
  const int code = static_cast<int>(error_class);
  if (!this_process().running()) {
    comm::ErrorHandler& to_return = comm::ErrorHandler::to_return();
    if (&runtime::initial_error_handler() != &to_return) end_process(error_class, sentence);
    raise_error(to_return.share(), MPI_COMM_NULL, code, sentence);
  } else if (comm_ == nullptr && on_file_) {
    raise_error(default_file_handler().get(), MPI_FILE_NULL, code, sentence);
  } else {
    raise_error(comm_ != nullptr ? *comm_ : of_no_communicator(), code, sentence);
  }
}

}  // namespace bowline::api
