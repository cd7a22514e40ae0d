// SPDX-License-Identifier: BSD-3-Clause
// See binding.hpp.
#include "launcher/binding.hpp"

namespace bowline::launcher {

BindingPlan plan_binding(const Options& options) {
  return {.ranks = std::vector<Binding>(static_cast<size_t>(options.ranks())), .reason = "not bound"};
}

}  // namespace bowline::launcher
