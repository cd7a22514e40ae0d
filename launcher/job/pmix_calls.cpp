// SPDX-License-Identifier: BSD-3-Clause
// See pmix_calls.hpp.
#include "launcher/job/pmix_calls.hpp"

#include "launcher/usage_error.hpp"

namespace bowline::launcher {

const PmixServerLibrary& pmix_server() {
  static const PmixServerLibrary loaded{wireup::pmix().file};
  return loaded;
}

void check_pmix(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
    throw LaunchError("{} failed: {}", call, wireup::pmix().error_string(status));
  }
}

}  // namespace bowline::launcher
