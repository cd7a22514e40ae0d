// SPDX-License-Identifier: BSD-3-Clause
// libbowline_dbg.so: the message queues of ranks, for debuggers (mqs.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>
#include <string>

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
constexpr std::size_t longest_fetch = std::size_t{1} << 30;  // the interface counts bytes in an int
constexpr int pointer_bytes = 8, int_bytes = 4;

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

/// Throws QueueError if the process has other sizes or another order of bytes than this library.
void check_architecture(Process* process, const ProcessCallbacks& callbacks, const ImageCallbacks& image) {
  TypeSizes sizes{};
  image.get_type_sizes(process, &sizes);
  if (sizes.pointer_size != pointer_bytes || sizes.int_size != int_bytes)
    throw QueueError("the process has pointers of {} bytes and integers of {}: this library reads 64-bit processes",
                     sizes.pointer_size, sizes.int_size);
  const std::array<unsigned char, int_bytes> there{1, 2, 3, 4};
  std::array<unsigned char, int_bytes> here{};
  callbacks.target_to_host(process, there.data(), here.data(), int_bytes);
  if (here != there)
    throw QueueError(
        "the processor of the process has another order of bytes than this one: use the debugger of a "
        "machine of the same kind");
}

DebuggerMemory memory_of(Process* process, const ProcessInfo& info) {
  Image* const image = info.callbacks.get_image(process);
  const ImageInfo* const image_info = debugger->get_image_info(image);
  if (image_info == nullptr) throw QueueError("the debugger has not called mqs_setup_image for the process's program");
  check_architecture(process, info.callbacks, image_info->callbacks);
  std::array<char, sizeof "bowline_queue_record"> symbol{"bowline_queue_record"};  // the interface takes no constant
  Address record = 0;
  if (image_info->callbacks.find_symbol(image, symbol.data(), &record) != ok) record = 0;
  const auto fetch = [process, &callbacks = info.callbacks](std::uint64_t address, std::size_t bytes, void* into) {
    for (auto* to = static_cast<std::byte*>(into); bytes > 0;) {
      const std::size_t part = std::min(bytes, longest_fetch);
      if (callbacks.fetch_data(process, address, static_cast<int>(part), to) != ok) return false;
      to += part;
      address += part;
      bytes -= part;
    }
    return true;
  };
  return DebuggerMemory("this process", record, fetch);
}

void look(Process* process, ProcessInfo& info) {
  info.view.reset();
  info.operations.clear();
  info.next_operation = 0;
  info.view.emplace(memory_of(process, info));
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

int mqs_process_has_queues(Process* process, char** message) {
  *message = nullptr;
  const int result = with_info(process, [&](ProcessInfo& info) -> int {
    launcher::find_queue_record(memory_of(process, info));
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
