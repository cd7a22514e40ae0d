// SPDX-License-Identifier: BSD-3-Clause
// bowline-rendezvous: prints a line for BOWLINE_RENDEZVOUS, with a random secret.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "launcher/rendezvous/rendezvous_options.hpp"
#include "launcher/usage_error.hpp"
#include "wireup/rendezvous/line.hpp"

int main(int argc, char** argv) {
  namespace launcher = bowline::launcher;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const launcher::RendezvousOptions wanted = launcher::parse_rendezvous_options(arguments);
    if (wanted.help) {
      fmt::print("{}", *wanted.help);
      return 0;
    }
    bowline::wireup::RendezvousLine line{.host = wanted.host};
    line.port = static_cast<std::uint16_t>(wanted.port ? *wanted.port : launcher::free_port());
    fmt::print("{}/{},{}\n", line.place(), launcher::random_secret(), wanted.size);
    return std::fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
  } catch (const launcher::UsageError& error) {
    fmt::print(stderr, "bowline-rendezvous: {}\n", error.what());
    return launcher::status_bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bowline-rendezvous: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
