// SPDX-License-Identifier: BSD-3-Clause
// SignalsBlocked: threads that are made during its lifetime get no signals, because the program's handlers run in the
// program's threads.
#pragma once

#include <signal.h>

namespace bowline {

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace bowline
