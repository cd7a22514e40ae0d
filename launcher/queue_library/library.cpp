// SPDX-License-Identifier: BSD-3-Clause
// libbowline_dbg.so: the message queues of ranks, for debuggers (mqs.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "launcher/queue_library/debugger_memory.hpp"
#include "launcher/queue_library/mqs.hpp"
#include "launcher/queue_library/queue_view.hpp"
#include "launcher/queues/queue_error.hpp"
#include "launcher/queues/record_search.hpp"

namespace bowline::mqs {

struct ImageInfo {
  const ImageCallbacks& callbacks;
};

struct ProcessInfo {
  const ProcessCallbacks& callbacks;
  std::optional<launcher::QueueView> view{};
  bool is_new = false;  ///< whether no iterator has used the view
  std::vector<PendingOperation> operations{};
  std::size_t next_operation = 0;
};

namespace {

using launcher::DebuggerMemory;
using launcher::QueueError;

constexpr int failed = first_own;

const BasicCallbacks* debugger = nullptr;
std::string failure;         // the sentence about the last function that returned `failed`
std::string failure_format;  // the same as a format for printf

/// Runs `action`, which returns a Result. What it throws becomes the sentence of `failed`.
template <class Action>
int guarded(Action action) noexcept {
  try {
    return action();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  return failed;
}

/// Runs `action` with what belongs to the process.
template <class Action>
int with_info(Process* process, Action action) noexcept {
  return guarded([&] {
    ProcessInfo* const info = debugger == nullptr ? nullptr : debugger->get_process_info(process);
    if (info == nullptr) throw QueueError("the debugger has not called mqs_setup_process for this process");
    return action(*info);
  });
}

/// Runs `action` with the view, which must be at a communicator.
template <class Action>
int at_communicator(Process* process, Action action) noexcept {
  return with_info(process, [&](ProcessInfo& info) -> int {
    if (!info.view || info.view->is_at_end()) return no_information;
    return action(info);
  });
}

DebuggerMemory memory_of(Process* process, const ProcessInfo& info) {
  const ImageInfo* const image = debugger->get_image_info(info.callbacks.get_image(process));
  if (image == nullptr) throw QueueError("the debugger has not called mqs_setup_image for the process's program");
  return launcher::memory_of(process, info.callbacks, image->callbacks);
}

/// Before MPI_Init there is nothing to see.
void look(Process* process, ProcessInfo& info) {
  info.view.reset();
  info.operations.clear();
  info.next_operation = 0;
  const DebuggerMemory memory = memory_of(process, info);
  if (!launcher::awaits_mpi_init(memory)) info.view.emplace(memory);
}

/// The last failure, as a format that debuggers give the name of an image.
char* as_format() {
  failure_format.clear();
  for (const char c : failure) failure_format += c == '%' ? std::string("%%") : std::string(1, c);
  return failure_format.data();
}

std::string sentence(int code) {
  switch (code) {
    case ok:
      return "there is no error";
    case no_information:
      return "there is no communicator at which the list is, or no such kind of operation";
    case end_of_list:
      return "the list is at its end";
    case failed:
      return failure;
    default:
      return fmt::format("{} is no result of this library", code);
  }
}

}  // namespace

extern "C" {

void mqs_setup_basic_callbacks(const BasicCallbacks* callbacks) {
  debugger = callbacks;
}

char* mqs_version_string() {
  static std::string text = "Bowline " BOWLINE_VERSION ": message queues";
  return text.data();
}

int mqs_version_compatibility() {
  return interface_version;
}

int mqs_dll_taddr_width() {
  return sizeof(Address);
}

char* mqs_dll_error_string(int code) {
  static std::string text;
  text = sentence(code);
  return text.data();
}

int mqs_setup_image(Image* image, const ImageCallbacks* callbacks) {
  return guarded([&]() -> int {
    if (debugger == nullptr) throw QueueError("the debugger has not called mqs_setup_basic_callbacks");
    debugger->put_image_info(image, new ImageInfo{*callbacks});
    return ok;
  });
}

/// A program may load MPI's libraries later, so only the process can tell.
int mqs_image_has_queues(Image* /*image*/, char** message) {
  *message = nullptr;
  return ok;
}

void mqs_destroy_image_info(ImageInfo* info) {
  delete info;
}

int mqs_setup_process(Process* process, const ProcessCallbacks* callbacks) {
  return guarded([&]() -> int {
    if (debugger == nullptr) throw QueueError("the debugger has not called mqs_setup_basic_callbacks");
    debugger->put_process_info(process, new ProcessInfo{*callbacks});
    return ok;
  });
}

/// Debuggers ask once, and may have stopped the process before MPI_Init.
int mqs_process_has_queues(Process* process, char** message) {
  *message = nullptr;
  const int result = with_info(process, [&](ProcessInfo& info) -> int {
    const DebuggerMemory memory = memory_of(process, info);
    if (!launcher::awaits_mpi_init(memory)) launcher::find_queue_record(memory);
    return ok;
  });
  if (result != ok) *message = as_format();
  return result;
}

void mqs_destroy_process_info(ProcessInfo* info) {
  delete info;
}

int mqs_update_communicator_list(Process* process) {
  return with_info(process, [&](ProcessInfo& info) -> int {
    look(process, info);
    info.is_new = true;
    return ok;
  });
}

int mqs_setup_communicator_iterator(Process* process) {
  return with_info(process, [&](ProcessInfo& info) -> int {
    if (!info.view || !info.is_new) look(process, info);
    info.is_new = false;
    if (!info.view) return end_of_list;
    info.view->to_first();
    return info.view->is_at_end() ? end_of_list : ok;
  });
}

int mqs_get_communicator(Process* process, Communicator* communicator) {
  return at_communicator(process, [&](ProcessInfo& info) -> int {
    *communicator = info.view->communicator();
    return ok;
  });
}

int mqs_get_comm_group(Process* process, int* ranks) {
  return at_communicator(process, [&](ProcessInfo& info) -> int {
    std::ranges::copy(info.view->group(), ranks);
    return ok;
  });
}

int mqs_next_communicator(Process* process) {
  return with_info(process, [&](ProcessInfo& info) -> int {
    if (!info.view) return end_of_list;
    info.view->to_next();
    return info.view->is_at_end() ? end_of_list : ok;
  });
}

int mqs_setup_operation_iterator(Process* process, int operation_class) {
  return at_communicator(process, [&](ProcessInfo& info) -> int {
    if (operation_class < pending_sends || operation_class > unexpected_messages) return no_information;
    info.operations = info.view->operations(static_cast<OperationClass>(operation_class));
    info.next_operation = 0;
    return ok;
  });
}

int mqs_next_operation(Process* process, PendingOperation* operation) {
  return with_info(process, [&](ProcessInfo& info) -> int {
    if (info.next_operation == info.operations.size()) return end_of_list;
    *operation = info.operations[info.next_operation++];
    return ok;
  });
}

}  // extern "C"

}  // namespace bowline::mqs
