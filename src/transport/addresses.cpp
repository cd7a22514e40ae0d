// SPDX-License-Identifier: BSD-3-Clause
#include "transport/addresses.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "base/error.hpp"

namespace bowline::transport {
namespace {

constexpr std::size_t length_bytes = 4;

/// Takes `count` bytes off the front of `rest`. Throws Error if `rest` has fewer bytes.
std::span<const std::byte> take(std::span<const std::byte>& rest, std::size_t count) {
  if (rest.size() < count) {
    throw Error(ErrorClass::other,
                "the addresses that a peer has published end too early: all ranks of a job must "
                "use the same build of Bowline");
  }
  const auto front = rest.first(count);
  rest = rest.subspan(count);
  return front;
}

}  // namespace

void add_address(Address& all, std::string_view network, std::span<const std::byte> address) {
  if (network.size() > std::numeric_limits<std::uint8_t>::max() ||
      address.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorClass::intern,
                fmt::format("the device of the network {} has an address of {} bytes", network, address.size()));
  }
  all.push_back(static_cast<std::byte>(network.size()));
  for (const char letter : network) all.push_back(static_cast<std::byte>(letter));
  for (std::size_t byte = 0; byte < length_bytes; ++byte) {
    all.push_back(static_cast<std::byte>(address.size() >> (8 * byte)));
  }
  all.insert(all.end(), address.begin(), address.end());
}

std::optional<std::span<const std::byte>> find_address(std::span<const std::byte> all, std::string_view network) {
  while (!all.empty()) {
    const auto name = take(all, std::to_integer<std::size_t>(take(all, 1)[0]));
    const auto length_field = take(all, length_bytes);
    std::size_t length = 0;
    for (std::size_t byte = 0; byte < length_bytes; ++byte) {
      length |= std::to_integer<std::size_t>(length_field[byte]) << (8 * byte);
    }
    const auto address = take(all, length);
    if (std::string_view(reinterpret_cast<const char*>(name.data()), name.size()) == network) return address;
  }
  return std::nullopt;
}

}  // namespace bowline::transport
