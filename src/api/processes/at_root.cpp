// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/at_root.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "api/communicators/making.hpp"
#include "base/error.hpp"
#include "base/lock.hpp"
#include "coll/calls/collectives.hpp"

namespace bowline::api {
namespace {

/// What comes before the bytes of a result, or of an error's sentence.
struct Header {
  std::uint64_t length = 0;
  std::int32_t error_class = 0;  ///< 0: a result follows
  std::int32_t unused = 0;
};

void spread_from(comm::Communicator& comm, int root, std::span<std::byte> data) {
  const LockGuard lane(comm.engine().lock());
  coll::bcast(comm.team(), root, data);
}

}  // namespace

Bytes at_root(comm::Communicator& comm, int root, const std::function<Bytes()>& action) {
  Header header;
  Bytes bytes;
  if (comm.rank() == root) {
    try {
      bytes = action();
    } catch (const Error& error) {
      header.error_class = static_cast<std::int32_t>(error.error_class());
      bytes = bytes_of(error.what());
    } catch (const std::exception& error) {  // no memory, or of the file system
      header.error_class = static_cast<std::int32_t>(ErrorClass::other);
      bytes = bytes_of(error.what());
    }
    header.length = bytes.size();
  }
  spread_from(comm, root, std::as_writable_bytes(std::span(&header, 1)));
  bytes.resize(header.length);
  spread_from(comm, root, bytes);
  if (header.error_class == 0) return bytes;
  throw Error(static_cast<ErrorClass>(header.error_class), text_of(bytes));
}

std::vector<Bytes> gather_bytes(comm::Communicator& comm, const Bytes& mine) {
  const std::vector<std::uint64_t> lengths = gather_all(comm.team(), std::uint64_t{mine.size()});
  const std::size_t longest = std::ranges::max(lengths);
  Bytes blocks(longest * lengths.size());
  std::ranges::copy(mine, blocks.begin() + static_cast<std::ptrdiff_t>(longest) * comm.rank());
  if (longest > 0) {
    const LockGuard lane(comm.engine().lock());
    coll::allgather(comm.team(), blocks);
  }
  std::vector<Bytes> all;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto begin = blocks.begin() + static_cast<std::ptrdiff_t>(i * longest);
    all.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(lengths[i]));
  }
  return all;
}

}  // namespace bowline::api
