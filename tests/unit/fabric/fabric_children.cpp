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

pid_t start(const Variables& variables, const std::function<void()>& function) {
  const std::string id = "unit" + std::to_string(getpid());
  const pid_t child = fork();
  if (child != 0) return child;
  setenv("FABRIC_ID", id.c_str(), 1);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  function();
  std::exit(::testing::Test::HasFailure() ? 1 : 0);
}

void expect_success(pid_t child) {
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const bool died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  EXPECT_TRUE(died || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << "a child ended with status " << status;
}

}  // namespace

void Line::put_bytes(const void* bytes, std::size_t length) const {
  ASSERT_EQ(write(descriptor_, bytes, length), static_cast<ssize_t>(length));
}

void Line::get_bytes(void* bytes, std::size_t length) const {
  if (read(descriptor_, bytes, length) == static_cast<ssize_t>(length)) return;
  ADD_FAILURE() << "the other process has ended";
  std::exit(1);
}

void in_child(const Variables& variables, const std::function<void()>& function) {
  expect_success(start(variables, function));
}

void in_two_children(const Variables& variables, const std::function<void(const Line&)>& first,
                     const std::function<void(const Line&)>& second) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const auto run = [&](int own, int other, const auto& function) {
    return start(variables, [&, own, other] {
      close(other);
      function(Line(own));
    });
  };
  const pid_t children[] = {run(ends[0], ends[1], first), run(ends[1], ends[0], second)};
  close(ends[0]);
  close(ends[1]);
  for (const pid_t child : children) expect_success(child);
}

void die() {
  raise(SIGKILL);
  std::abort();
}

}  // namespace fabric::test
