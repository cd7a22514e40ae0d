// SPDX-License-Identifier: BSD-3-Clause
// Setting: gives a tunable another value for the life of an object.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/tunable.hpp"

namespace bowline::test {

class Setting {
 public:
  Setting(std::string_view name, const std::string& value)
      : tunable_(**std::ranges::find(TunableBase::all(), name, &TunableBase::name)), before_(tunable_.value_text()) {
    tunable_.set(value);
  }
  ~Setting() { tunable_.set(before_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  TunableBase& tunable_;
  std::string before_;
};

}  // namespace bowline::test
