// SPDX-License-Identifier: BSD-3-Clause
// A home for PMIx 4.2, which crashes where it looks for the user's settings if there is none.
#pragma once

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

namespace bowline::wireup {

/// During its lifetime, HOME has a value: without it PMIx takes the folder that /etc/passwd names, through a null
/// pointer if the user is not in that file, as in many containers.
class PmixHome {
 public:
  PmixHome() : missing_(std::getenv("HOME") == nullptr && getpwuid(geteuid()) == nullptr) {
    if (missing_) setenv("HOME", "/", 0);
  }
  ~PmixHome() {
    if (missing_) unsetenv("HOME");
  }
  PmixHome(const PmixHome&) = delete;
  PmixHome& operator=(const PmixHome&) = delete;

 private:
  bool missing_;
};

}  // namespace bowline::wireup
