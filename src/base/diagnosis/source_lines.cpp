// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/source_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "base/diagnosis/mpi_call.hpp"
#include "base/diagnosis/python_place.hpp"
#include "base/library_folder.hpp"
#include "base/log.hpp"

namespace bowline {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads to the end of the file, or until the time is over; returns whether the end was reached.
bool read_all(int descriptor, Clock::time_point until, std::string& text) {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = left > 0 ? poll(&readable, 1, static_cast<int>(left)) : 0;
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) return false;
    if (ready < 0) continue;
    std::array<char, 4096> piece;
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

/// The output of a program; nothing if it fails, or has not ended in time.
std::string output_of(std::vector<std::string> words, std::chrono::milliseconds patience) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<char*, 1> no_environment{nullptr};  // no preloaded library, no sanitizer's options
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), no_environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  const bool whole = error == 0 && read_all(ends[0], Clock::now() + patience, text);
  close(ends[0]);
  if (error != 0) return {};
  if (!whole) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return whole && status == 0 ? text : std::string();
}

}  // namespace

std::string source_lines_program() {
  return companion_file("source_lines");
}

std::vector<std::string> source_lines(std::span<const CodeAddress> addresses, std::chrono::milliseconds patience) {
  std::vector<std::string> lines(addresses.size());
  std::vector<std::string> words{source_lines_program()};
  if (words.front().empty() || addresses.empty()) return lines;
  for (const CodeAddress& each : addresses) words.push_back(fmt::format("{}:{:x}", each.process, each.address));
  const std::string output = output_of(std::move(words), patience);
  std::string_view rest(output);
  for (std::string& line : lines) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
  return lines;
}

std::string place_of_mpi_call() {
  if (std::string place = python_place(); !place.empty()) return place;
  const CodeAddress here{.process = getpid(), .address = mpi_call_on_stack().returns_to};
  return here.address == 0 ? std::string() : source_lines({&here, 1}).front();
}

}  // namespace bowline
