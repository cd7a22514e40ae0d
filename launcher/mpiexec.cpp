// SPDX-License-Identifier: BSD-3-Clause
// mpiexec and mpirun: parse the command line, check everything that can be checked, run the job.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "launcher/check.hpp"
#include "launcher/error.hpp"
#include "launcher/guard.hpp"
#include "launcher/options.hpp"
#include "launcher/slurm.hpp"

namespace launcher = bowline::launcher;

namespace {

/// A closed standard stream would be reused for a pipe or a socket, and then be written to.
void open_standard_streams() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR);
    if (fd < 0 || fd > STDERR_FILENO) {
      if (fd >= 0) close(fd);
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    launcher::Parsed parsed = launcher::parse_options(arguments);
    if (parsed.print) {
      fmt::print("{}", *parsed.print);
      return 0;
    }
    if (!parsed.options.unsupported_memory.empty()) {
      fmt::print(stderr,
                 "mpiexec: --memory-alloc-kinds asks for {}, but messages can be in memory of the kinds mpi and "
                 "system only, as MPI tells the programs\n",
                 fmt::join(parsed.options.unsupported_memory, ", "));
    }
    if (launcher::slurm_nodes(std::getenv) > 1 && !launcher::names_only_this_host(parsed.options.hosts))
      launcher::exec_srun(parsed.options);
    return launcher::supervise(launcher::check_job(std::move(parsed.options)), {argv, static_cast<size_t>(argc)});
  } catch (const launcher::UsageError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
    return launcher::status_bad_input;
  } catch (const launcher::LaunchError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
    return launcher::status_launch_failed;
  }
}
