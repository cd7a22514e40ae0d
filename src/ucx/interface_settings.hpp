// SPDX-License-Identifier: BSD-3-Clause
// InterfaceSettings: how UCX makes its interfaces for us, where the user has not said how.
#pragma once

#include <string>

namespace bowline::ucx {

/// While it lives, a variable of the environment is set, unless the user has set it. Not thread-safe.
class Setting {
 public:
  Setting(const char* variable, const std::string& value);
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* variable_;
  bool sets_;
};

/// To live while a worker is made: UCX reads from the environment then how its interfaces over TCP shall be.
class InterfaceSettings {
 public:
  InterfaceSettings();

 private:
  Setting segments_;
  Setting blocks_;
};

}  // namespace bowline::ucx
