// SPDX-License-Identifier: BSD-3-Clause
#include "transport/striping/striped_endpoint.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"

namespace bowline::transport {

/// Rails that are not connected yet register the memory, too, because the peer may see the rails connected a little
/// earlier.
std::vector<std::byte> StripedEndpoint::register_memory(std::span<const std::byte> memory) {
  std::vector<std::byte> first = first_.register_memory(memory);
  if (first.empty() || first.size() > longest_rail_key || memory.size() < state_.limits.from) return first;
  std::array<std::vector<std::byte>, most_rails> keys;
  bool several = false;
  for (std::size_t rail = 1; rail < peer_.rails(); ++rail) {
    Endpoint* const endpoint = peer_.approach(rail);
    if (endpoint == nullptr) continue;
    try {
      keys[rail] = endpoint->register_memory(memory);
    } catch (const Error&) {
      continue;  // transfers do without this rail
    }
    if (keys[rail].size() > longest_rail_key) endpoint->deregister(std::exchange(keys[rail], {}));
    several |= !keys[rail].empty();
  }
  if (!several) return first;
  keys[0] = std::move(first);
  return write_rail_keys(std::span(keys).first(peer_.rails()));
}

void StripedEndpoint::deregister(std::span<const std::byte> key) noexcept {
  const RailKeys keys = read_rail_keys(key);
  first_.deregister(keys.of[0]);
  for (std::size_t rail = 1; rail < peer_.rails(); ++rail) {
    Endpoint* const endpoint = keys.of[rail].empty() ? nullptr : peer_.known(rail);
    if (endpoint != nullptr) endpoint->deregister(keys.of[rail]);
  }
}

void StripedEndpoint::abandon(const std::string& why) noexcept {
  first_.abandon(why);
  for (std::size_t rail = 1; rail < peer_.rails(); ++rail) {
    if (Endpoint* const endpoint = peer_.known(rail)) endpoint->abandon(why);
  }
}

Access StripedEndpoint::transfer(Direction direction, std::span<std::byte> local, const Remote& remote,
                                 Operation& operation) {
  const RailKeys keys = read_rail_keys(remote.key);
  const Remote over_first{remote.address, keys.of[0]};
  if (!keys.joined || local.size() < state_.limits.from) return access(first_, direction, local, over_first, operation);
  std::array<RailPath, most_rails> paths;
  paths[0] = {0, &first_, keys.of[0]};
  std::size_t count = 1;
  for (std::size_t rail = 1; rail < peer_.rails(); ++rail) {
    Endpoint* const endpoint = keys.of[rail].empty() ? nullptr : peer_.connected(rail);
    if (endpoint != nullptr) paths[count++] = {rail, endpoint, keys.of[rail]};
  }
  if (count == 1 || keys.of[0].size() > longest_rail_key)
    return access(first_, direction, local, over_first, operation);
  return StripedTransfer::begin(state_, peer_, direction, local, remote.address, std::span(paths).first(count),
                                operation);
}

}  // namespace bowline::transport
