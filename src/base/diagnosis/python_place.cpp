// SPDX-License-Identifier: BSD-3-Clause
// CPython's faulthandler writes the stack of a thread from a signal handler. The function that it uses for that is
// exported, needs no lock and no memory of the heap, and has been the same since Python 3.3.
#include "base/diagnosis/python_place.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace bowline {
namespace {

/// What CPython writes of this thread's stack, or its beginning; empty if this thread executes no Python code.
std::string dumped_stack() {
  const auto state_of_thread = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState"));
  const auto dump = reinterpret_cast<void (*)(int, void*)>(dlsym(RTLD_DEFAULT, "_Py_DumpTraceback"));
  if (state_of_thread == nullptr || dump == nullptr) return {};
  void* const state = state_of_thread();
  std::array<int, 2> ends{};
  if (state == nullptr || pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) return {};
  dump(ends[1], state);
  std::array<char, 4096> text;
  const ssize_t bytes = read(ends[0], text.data(), text.size());
  for (const int end : ends) close(end);
  return bytes <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(bytes));
}

}  // namespace

/// A line is: File "solver.py", line 88 in step
std::string python_place() {
  const std::string stack = dumped_stack();
  constexpr std::string_view before_file = "File \"", before_line = "\", line ";
  const std::size_t file = stack.find(before_file);
  const std::size_t line = stack.find(before_line, file);
  if (file == std::string::npos || line == std::string::npos) return {};
  std::string_view path = std::string_view(stack).substr(file + before_file.size(), line - file - before_file.size());
  path = path.substr(path.rfind('/') + 1);
  int number = 0;
  const char* const digits = stack.data() + line + before_line.size();
  std::from_chars(digits, stack.data() + stack.size(), number);
  return number <= 0 ? std::string() : std::string(path) + ':' + std::to_string(number);
}

}  // namespace bowline
