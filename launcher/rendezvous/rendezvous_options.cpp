// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/rendezvous/rendezvous_options.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <random>
#include <vector>

#include "base/random_source.hpp"
#include "launcher/command_line/help.hpp"
#include "launcher/usage_error.hpp"
#include "node/host.hpp"

namespace bowline::launcher {
namespace {

int to_number(const std::string& option, const std::string& text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw UsageError("{} is \"{}\": give a number, {} to {}", option, text, least, most);
  return value;
}

void check_host(const std::string& host) {
  if (!host.empty() && host.find_first_of("/,[] \t") == std::string::npos) return;
  throw UsageError("--host is \"{}\": give the name or the address of a host that all processes can reach", host);
}

// Below the ports that the kernel gives to outgoing connections: one that has just ended keeps its port for a minute.
constexpr int first_port = 20000, last_port = 29999;

bool is_free(int port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const bool free = bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(descriptor);
  return free;
}

}  // namespace

RendezvousOptions parse_rendezvous_options(std::span<const std::string> arguments) {
  CLI::App cli(
      "Prints a line for the environment variable BOWLINE_RENDEZVOUS: processes that nobody has launched and that have "
      "this line become one MPI_COMM_WORLD. Keep the line secret: any process that has it can join.",
      "bowline-rendezvous");
  declare_help(cli);
  RendezvousOptions wanted{.size = 1, .host = node::host_name()};
  std::string size, port;
  cli.add_option("-n", size, "The number of processes (default 1)")->type_name("SIZE");
  cli.add_option("--host", wanted.host, "The host of one of the processes, which serves the others (default: this one)")
      ->type_name("HOST");
  cli.add_option("--port", port, "The port on that host (default: a random one that is free on this host)")
      ->type_name("PORT");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    cli.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    wanted.help = requested_help(cli);
    return wanted;
  } catch (const CLI::ParseError& error) {
    std::string sentence = error.what();
    std::ranges::replace(sentence, '\n', ' ');
    throw UsageError("{}; \"bowline-rendezvous --help\" lists the options", sentence);
  }
  if (!size.empty()) wanted.size = to_number("-n", size, 1, std::numeric_limits<int>::max());
  if (!port.empty()) wanted.port = to_number("--port", port, 1, std::numeric_limits<std::uint16_t>::max());
  check_host(wanted.host);
  return wanted;
}

int free_port() {
  const RandomSource random;
  std::uniform_int_distribution<int> any(first_port, last_port);
  for (int left = 1000; left > 0; --left) {
    if (const int port = any(random); is_free(port)) return port;
  }
  throw LaunchError("no port of {} to {} is free on this host; give one with --port", first_port, last_port);
}

std::string random_secret() {
  const RandomSource random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace bowline::launcher
