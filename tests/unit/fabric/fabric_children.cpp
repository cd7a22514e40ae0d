// SPDX-License-Identifier: BSD-3-Clause
#include "fabric_children.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace fabric::test {
namespace {

struct Child {
  pid_t process;
  int error_output;  ///< what it writes to standard error; -1 if that goes where ours goes
};

[[noreturn]] void run(const std::string& id, const Variables& variables, const std::function<void()>& function) {
  setenv("FABRIC_ID", id.c_str(), 1);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  function();
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

std::string fabric_id() {
  return "unit" + std::to_string(getpid());
}

Child start(const Variables& variables, const std::function<void()>& function, bool captured) {
  const std::string id = fabric_id();
  int ends[2] = {-1, -1};
  EXPECT_TRUE(!captured || pipe(ends) == 0);
  const pid_t process = fork();
  if (process == 0) {
    if (captured) {
      dup2(ends[1], STDERR_FILENO);
      close(ends[0]);
    }
    run(id, variables, function);
  }
  if (captured) close(ends[1]);
  return {process, ends[0]};
}

int status_of(const Child& child) {
  int status = 0;
  EXPECT_EQ(waitpid(child.process, &status, 0), child.process);
  return status;
}

void expect_success(const Child& child) {
  const int status = status_of(child);
  const bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  EXPECT_TRUE(died || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << "a child ended with status " << status;
}

void expect_end(const Child& child, const std::string& words) {
  std::string said;
  char part[200];
  for (ssize_t got = 0; (got = read(child.error_output, part, sizeof part)) > 0;) {
    said.append(part, static_cast<std::size_t>(got));
  }
  close(child.error_output);
  const int status = status_of(child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << "it ended with status " << status;
  EXPECT_NE(said.find("fabric: "), said.npos) << said;
  EXPECT_NE(said.find(words), said.npos) << said;
  // The last process of a fabric removes its file, unless it aborts.
  unlink(("/dev/shm/bowline-fabric-" + fabric_id()).c_str());
}

}  // namespace

void Line::put_bytes(const void* bytes, std::size_t length) const {
  ASSERT_EQ(::write(descriptor_, bytes, length), static_cast<ssize_t>(length));
}

void Line::get_bytes(void* bytes, std::size_t length) const {
  if (::read(descriptor_, bytes, length) == static_cast<ssize_t>(length)) return;
  ADD_FAILURE() << "the other process has ended";
  std::exit(1);
}

void Line::wait_for_end() const {
  char byte = 0;
  EXPECT_EQ(::read(descriptor_, &byte, 1), 0);
}

void in_child(const Variables& variables, const std::function<void()>& function) {
  expect_success(start(variables, function, false));
}

void in_ending_child(const Variables& variables, const std::function<void()>& function, const std::string& words) {
  expect_end(start(variables, function, true), words);
}

void in_two_children(const Variables& variables, const std::function<void(const Line&)>& first,
                     const std::function<void(const Line&)>& second, const std::string& words) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto begin = [&](int own, int other, const auto& function, bool captured) {
    const auto with_line = [&, own, other] {
      close(other);
      function(Line(own));
    };
    return start(variables, with_line, captured);
  };
  const Child one = begin(ends[0], ends[1], first, false);
  const Child other = begin(ends[1], ends[0], second, !words.empty());
  close(ends[0]);
  close(ends[1]);
  expect_success(one);
  if (words.empty()) {
    expect_success(other);
  } else {
    expect_end(other, words);
  }
}

void die() {
  raise(SIGKILL);
  std::abort();
}

}  // namespace fabric::test
