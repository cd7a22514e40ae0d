// SPDX-License-Identifier: BSD-3-Clause
// See launch_context.hpp.
#include "launcher/job/launch_context.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/job/rank_process.hpp"
#include "launcher/limits.hpp"
#include "launcher/places.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

LaunchSettings settings_for(const Options& options, std::filesystem::path scratch) {
  LaunchSettings settings{.scratch = std::move(scratch),
                          .caches = caches_for(options.placement),
                          .limit = {},
                          .end_descriptor = options.end_descriptor,
                          .keep_going = options.keep_going};
  if (options.timeout_s) settings.limit = {.seconds = *options.timeout_s, .name = options.timeout_name};
  return settings;
}

LaunchContext::LaunchContext(LaunchSettings chosen)
    : settings(std::move(chosen)),
      passed_on(inheritable_descriptors()),
      open_files(raise_open_files()),
      out(STDOUT_FILENO),
      err(STDERR_FILENO),
      topology(settings.caches),
      pmix(settings.scratch, topology, settings.keep_going),
      relays(settings.scratch),
      null_fd(open("/dev/null", O_RDONLY | O_CLOEXEC)) {
  if (null_fd < 0) throw LaunchError("cannot open /dev/null: {}", strerror(errno));
}

LaunchContext::~LaunchContext() {
  close(null_fd);
}

}  // namespace bowline::launcher
