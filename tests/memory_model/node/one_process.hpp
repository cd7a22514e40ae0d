// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace bowline::model {

/// By process id: whether the kernel says that the process has ended. A model sets it before its threads run.
inline std::array<bool, 8> ended{};

}  // namespace bowline::model
