// SPDX-License-Identifier: BSD-3-Clause
// A process that receives until it is killed.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>

#include "support/heard.hpp"
#include "transport/transport.hpp"

namespace bowline::test {

class Victim {
 public:
  /// `serve`: makes a device in the new process and calls receive_for_ever(); it gets the descriptor for that. To be
  /// made before this process initializes the network, which must not be forked.
  explicit Victim(void (*serve)(int pipe)) {
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    process_ = fork();
    if (process_ == 0) {
      serve(pipe_ends[1]);
      _exit(1);
    }
    ::close(pipe_ends[1]);  // else a victim that dies early would be waited for
    address.resize(4096);
    const ssize_t bytes = read(pipe_ends[0], address.data(), address.size());
    EXPECT_GT(bytes, 0) << "the victim has no address";
    address.resize(bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
    ::close(pipe_ends[0]);
  }
  ~Victim() { kill(); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  static void receive_for_ever(transport::Device& device, int pipe) {
    const transport::Address mine = device.address();
    if (write(pipe, mine.data(), mine.size()) < 0) return;
    Collector sink;
    for (;;) device.poll(sink);
  }
  void kill() {
    if (process_ < 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  transport::Address address;

 private:
  pid_t process_ = -1;
};

}  // namespace bowline::test
