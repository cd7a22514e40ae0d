// SPDX-License-Identifier: BSD-3-Clause
// shm/endpoint: a pair for whose ring there is no more memory goes on with what it has.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>

#include "shm_node.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

/// From now on this process gets no memory by madvise(2). That cannot be undone.
bool deny_memory() {
  std::array program{
      sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))),
      sock_filter(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1)),
      sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM)),
      sock_filter(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)),
  };
  const sock_fprog filter{program.size(), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// What happens where memory is denied, in one word, for death tests.
[[noreturn]] void end_with(const std::string& word) {
  std::fputs(word.c_str(), stderr);
  std::_Exit(0);
}

using NarrowDeathTest = ShmNode;

TEST_F(NarrowDeathTest, ShortMessagesGoOnInTheFirstWindow) {
  const auto endpoint = first.connect(7, second.address());
  EXPECT_EXIT(
      {
        if (!deny_memory()) end_with("seccomp is not to be had");
        for (int round = 0; round < 3; ++round) {
          std::size_t sent = 0;
          while (endpoint->send({}, {}, {}) == Post::done) ++sent;
          if (sent < first_window(of_second.lines()) / 2 || sent > first_window(of_second.lines()) || endpoint->lost())
            end_with("it sent " + std::to_string(sent));
          drain(second, sink);
        }
        end_with("it goes on");
      },
      testing::ExitedWithCode(0), "it goes on|seccomp is not to be had");
}

TEST_F(NarrowDeathTest, ALongMessageThatHasNoMemoryLosesThePeer) {
  const auto endpoint = first.connect(7, second.address());
  EXPECT_EXIT(
      {
        if (!deny_memory()) end_with("seccomp is not to be had");
        const auto body = pattern(endpoint->limits().max_body, 1);
        if (endpoint->send({}, {}, body) != Post::retry || !endpoint->lost()) end_with("it is not lost");
        end_with(endpoint->loss());
      },
      testing::ExitedWithCode(0),
      "cannot be sent a long message: [0-9]+ bytes of shared memory are needed|seccomp is not to be had");
}

}  // namespace
}  // namespace bowline::shm
