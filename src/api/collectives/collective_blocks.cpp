// SPDX-License-Identifier: BSD-3-Clause
#include "api/collectives/collective_blocks.hpp"

#include <fmt/format.h>

#include "api/entry/validators.hpp"
#include "base/error.hpp"

namespace bowline::api {

void check_blocks(const void* buffer, MPI_Count count, const dtype::Datatype& type, int members, const char* name) {
  MPI_Count all = 0;
  if (__builtin_mul_overflow(count, static_cast<MPI_Count>(members), &all)) check::refuse::too_long(count, type);
  check::buffer(buffer, all, type, name);
}

void refuse_in_place(const void* buffer, const char* name, const char* where) {
  if (buffer != MPI_IN_PLACE) [[likely]]
    return;
  throw Error(ErrorClass::buffer,
              fmt::format("{} is MPI_IN_PLACE, which is allowed {}: give the address of the data", name, where));
}

void refuse_in_place_between_groups(const void* buffer, const char* name, const comm::Communicator& comm) {
  if (comm.inter()) refuse_in_place(buffer, name, "on intracommunicators only");
}

void check_own_block(std::span<const std::byte> sent, std::span<const std::byte> received, const char* sendbuf,
                     const char* recvbuf) {
  if (sent.size() != received.size()) [[unlikely]] {
    throw Error(sent.size() > received.size() ? ErrorClass::truncate : ErrorClass::count,
                fmt::format("the block from this process to itself has {} bytes in {}, but {} in {}: give counts and "
                            "datatypes of the same length",
                            sent.size(), sendbuf, received.size(), recvbuf));
  }
  if (sent.data() == received.data() && !sent.empty()) [[unlikely]] {
    throw Error(ErrorClass::buffer,
                fmt::format("the block from this process to itself is the same memory in {} and {}: give MPI_IN_PLACE "
                            "where the operation allows it, else two buffers",
                            sendbuf, recvbuf));
  }
}

int position_of_root(int root, const comm::Communicator& comm) noexcept {
  if (!comm.inter()) [[likely]]
    return root;
  if (root == MPI_ROOT) return comm.team().rank;
  if (root < 0) return -1;
  return comm.bridge()->local_first ? comm.size() + root : root;
}

}  // namespace bowline::api
