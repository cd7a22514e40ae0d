// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <utility>

#include "wireup/rendezvous/rendezvous.hpp"

namespace bowline::wireup {
namespace {

std::optional<RendezvousLine> given;

}  // namespace

void set_rendezvous(const std::string& line, std::string_view name) {
  given = RendezvousLine::read(line, name);
}

std::optional<RendezvousLine> take_rendezvous() {
  const char* const variable = std::getenv(RendezvousLine::variable);
  std::optional<RendezvousLine> line = std::exchange(given, std::nullopt);
  if (!line && variable != nullptr && *variable != '\0') line = RendezvousLine::read(variable);
  unsetenv(RendezvousLine::variable);
  return line;
}

}  // namespace bowline::wireup
