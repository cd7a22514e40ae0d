// SPDX-License-Identifier: BSD-3-Clause
// What one process of a communicator does for all: its result, or its error, is that of each of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"

namespace bowline::api {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Executes `action` at the root. Returns its result at every member, or throws its Error at every member. Collective.
Bytes at_root(comm::Communicator& comm, int root, const std::function<Bytes()>& action);

/// The bytes of every member, in the order of the ranks. Collective.
std::vector<Bytes> gather_bytes(comm::Communicator& comm, const Bytes& mine);

}  // namespace bowline::api
