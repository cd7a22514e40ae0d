// SPDX-License-Identifier: BSD-3-Clause
// See rank_waits.hpp.
#include "launcher/hang/rank_waits.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/memory_file.hpp"
#include "base/random_source.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Makes the memory file of a board. Its pages are allocated and its size is fixed, so neither mpiexec nor a rank can
/// fail when it touches them.
int make_board(std::size_t bytes) {
  const int descriptor = make_memory_file("bowline-wait-board");
  const auto length = static_cast<off_t>(bytes);
  if (descriptor >= 0 && ftruncate(descriptor, length) == 0 && fallocate(descriptor, 0, 0, length) == 0 &&
      fix_length(descriptor))
    return descriptor;
  throw LaunchError("cannot make the memory in which ranks say what they wait for: {}", strerror(errno));
}

}  // namespace

RankWaits::RankWaits(std::size_t ranks)
    : key_(random_bits()), bytes_(WaitBoardTicket::bytes_for(static_cast<std::uint32_t>(ranks))) {
  descriptor_ = make_board(bytes_);
  void* const address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) {
    const int error = errno;
    close(descriptor_);
    throw LaunchError("cannot map the memory in which ranks say what they wait for: {}", strerror(error));
  }
  memory_ = static_cast<std::byte*>(address);
  *reinterpret_cast<WaitBoardHeader*>(memory_) = {.key = key_, .slots = static_cast<std::uint32_t>(ranks)};
}

RankWaits::~RankWaits() {
  munmap(memory_, bytes_);
  close(descriptor_);
}

std::string RankWaits::variable(int rank) const {
  const WaitBoardTicket ticket{.descriptor = descriptor_, .slot = static_cast<std::uint32_t>(rank), .key = key_};
  return std::string(WaitBoardTicket::variable) + "=" + ticket.text();
}

void RankWaits::tell_end(int rank, WaitSlot::End end) {
  const auto place = WaitBoardTicket::offset_of(static_cast<std::uint32_t>(rank));
  reinterpret_cast<WaitSlot*>(memory_ + place)->write_end(end);
}

const WaitSlot& RankWaits::slot(int rank) const {
  return *reinterpret_cast<const WaitSlot*>(memory_ + WaitBoardTicket::offset_of(static_cast<std::uint32_t>(rank)));
}

}  // namespace bowline::launcher
