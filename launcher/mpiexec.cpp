// SPDX-License-Identifier: BSD-3-Clause
// mpiexec and mpirun: parse the command line, check everything that can be checked, run the job.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_file.hpp"
#include "launcher/abi/libraries.hpp"
#include "launcher/explain.hpp"
#include "launcher/job/guard.hpp"
#include "launcher/job/relays.hpp"
#include "launcher/job_check.hpp"
#include "launcher/job_options.hpp"
#include "launcher/prterun.hpp"
#include "launcher/slurm.hpp"
#include "launcher/usage_error.hpp"

namespace launcher = bowline::launcher;

namespace {

/// Opens closed standard streams. A pipe or a socket would otherwise get their descriptor, and output would be written
/// to it.
void open_standard_streams() {
  while (true) {
    const int fd = open("/dev/null", O_RDWR);
    if (fd < 0 || fd > STDERR_FILENO) {
      if (fd >= 0) close(fd);
      return;
    }
  }
}

/// Which launcher starts the ranks: another one if the job needs several nodes.
enum class Starter { mpiexec, srun, prterun };
Starter starter_of(const launcher::Options& options) {
  if (launcher::names_only_this_host(options.hosts)) return Starter::mpiexec;
  const int nodes = launcher::slurm_nodes(std::getenv);
  if (nodes > 1 || (nodes == 1 && !options.hosts.empty())) return Starter::srun;
  return options.hosts.empty() ? Starter::mpiexec : Starter::prterun;
}

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw launcher::LaunchError("cannot write to standard output: {}", strerror(errno));
}

void print_explanation(const launcher::Options& options) {
  const Starter starter = starter_of(options);
  if (starter == Starter::mpiexec) return print(launcher::explain(options));
  std::vector<std::string> warnings;
  const std::vector<std::string> command =
      starter == Starter::srun ? launcher::srun_command(options, std::getenv, launcher::slurm_mpi(), warnings)
                               : launcher::prterun_command(options, warnings);
  for (const std::string& warning : warnings) fmt::print(stderr, "mpiexec: {}\n", warning);
  print(launcher::explain_elsewhere(options, command));
}

/// Copies all of standard input to a file, which each rank then reads from the beginning. Waits for the end of the
/// input.
void copy_input() {
  const int copy = bowline::make_memory_file("mpiexec-stdin");
  char buffer[1 << 16];
  for (ssize_t size; (size = read(STDIN_FILENO, buffer, sizeof buffer)) != 0;) {
    if (size < 0 && errno == EINTR) continue;
    if (copy < 0 || size < 0 || write(copy, buffer, static_cast<size_t>(size)) != size)
      throw launcher::LaunchError("cannot keep the standard input for all ranks: {}", strerror(errno));
  }
  if (copy < 0 || dup2(copy, STDIN_FILENO) < 0)
    throw launcher::LaunchError("cannot keep the standard input for all ranks: {}", strerror(errno));
  close(copy);
}

}  // namespace

int main(int argc, char** argv) {
  if (launcher::is_relay(argc, argv)) return launcher::run_relay(argv);
  open_standard_streams();
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    launcher::Parsed parsed = launcher::parse_options(arguments);
    if (parsed.print) {
      print(*parsed.print);
      return 0;
    }
    if (!parsed.options.unsupported_memory.empty()) {
      fmt::print(stderr,
                 "mpiexec: --memory-alloc-kinds asks for {}, but messages can be in memory of the kinds mpi and "
                 "system only, as MPI tells the programs\n",
                 fmt::join(parsed.options.unsupported_memory, ", "));
    }
    for (const std::string& warning : parsed.options.warnings) fmt::print(stderr, "mpiexec: {}\n", warning);
    launcher::choose_libraries(parsed.options);
    if (parsed.options.explain) {
      print_explanation(parsed.options);
      return 0;
    }
    const Starter starter = starter_of(parsed.options);
    if (starter == Starter::srun) launcher::exec_srun(parsed.options);
    if (starter == Starter::prterun) launcher::exec_prterun(parsed.options);
    if (parsed.options.stdin_rank == launcher::Options::stdin_all) copy_input();
    return launcher::supervise(launcher::check_job(std::move(parsed.options)), {argv, static_cast<size_t>(argc)});
  } catch (const launcher::UsageError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
    return launcher::status_bad_input;
  } catch (const launcher::LaunchError& error) {
    fmt::print(stderr, "mpiexec: {}\n", error.what());
    return launcher::status_launch_failed;
  } catch (const std::exception& error) {  // of the system, or no memory
    fmt::print(stderr, "mpiexec: cannot start the job: {}\n", error.what());
    return launcher::status_launch_failed;
  }
}
