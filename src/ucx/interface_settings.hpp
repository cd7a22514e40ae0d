// SPDX-License-Identifier: BSD-3-Clause
// InterfaceSettings: how UCX configures its interfaces for Bowline, unless the user has configured them.
#pragma once

#include <string>

namespace bowline::ucx {

/// Sets an environment variable for the life of the object, unless the user has set it. Not thread-safe.
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

/// The object must live while a worker is made, because UCX reads the settings of its TCP interfaces from the
/// environment at that time.
class InterfaceSettings {
 public:
  InterfaceSettings();

 private:
  Setting segments_;
  Setting blocks_;
};

}  // namespace bowline::ucx
